"""What the library says to its user: warnings, lists in sentences, progress, missing extras."""

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from string import Formatter
from typing import Any

from untie._util.about import DISTRIBUTION


def installing(extra: str) -> str:
    """Return the command that installs an extra, for messages."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def need(module: str, extra: str = "files", what: str = "Files and lazy tables") -> Any:
    """Import a module of an extra, or say how to install it; `what` is what needs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} need {module.split('.')[0]}: {installing(extra)}.") from error


_INNER = ("untie", "sklearn")


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as if from the first line outside this package and scikit-learn's wrappers."""
    level = 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_INNER):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def listed(names: Sequence[str]) -> str:
    """Return names with commas between them, and "and" before the last.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b"]), listed(list("abc"))
    ('a', 'a and b', 'a, b and c')
    """
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def counted(n: int, noun: str) -> str:
    """Return how many of something there are.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


@dataclass(frozen=True)
class Parameter:
    """A parameter that a message names.

    Parameters
    ----------
    name : str
        Its name in Python.
    value : object, default=None
        What it is, or should be; None where the message names the parameter alone, ``...`` for
        values that the reader must fill in.
    key : str, default=None
        The column that it is about, of a parameter that maps columns to values.
    owner : str, default=None
        The class whose parameter it is, where a reader may use another.

    Examples
    --------
    >>> print(Parameter("n_clusters", 3), Parameter("n_clusters"), Parameter("ordered", key="size"))
    n_clusters=3 n_clusters ordered['size']
    >>> print(Parameter("drop", ["id"], owner="Preparer"))
    Preparer(drop=['id'])
    """

    name: str
    value: Any = None
    key: str | None = None
    owner: str | None = None

    def __str__(self) -> str:
        if self.value is None:
            return self.name if self.key is None else f"{self.name}[{self.key!r}]"
        value = "[...]" if self.value is ... else repr(self.value)
        assigned = f"{self.name}={value if self.key is None else f'{{{self.key!r}: {value}}}'}"
        return assigned if self.owner is None else f"{self.owner}({assigned})"


@dataclass(frozen=True)
class Row:
    """A row that a message names: by its position, from 0, in Python; the command counts from 1.

    Parameters
    ----------
    position : int
        From 0.

    Examples
    --------
    >>> print(Row(1200), "or", Row(1200).counted_from_1)
    row 1200 or row 1,201
    """

    position: int

    def __str__(self) -> str:
        return f"row {self.position}"

    @property
    def counted_from_1(self) -> str:
        """What the command calls it."""
        return f"row {self.position + 1:,}"


class Message(str):
    """A text that knows which parameters and rows it names; `message` makes it."""

    parts: tuple[str | Parameter | Row, ...] = ()

    def naming(self, write: Callable[[Parameter], str]) -> str:
        """Return the text as people read it: parameters as written by a function, rows from 1."""
        return "".join(
            write(part)
            if isinstance(part, Parameter)
            else part.counted_from_1
            if isinstance(part, Row)
            else part
            for part in self.parts
        )


def message(template: str, *given: Any, **fields: Any) -> Message:
    """Return a text that names parameters: Python's names, for which the command has its options.

    Parameters
    ----------
    template : str
        As of `str.format`; a field that is not given is the parameter of its name.
    *given, **fields
        What takes the place of a field: a `Parameter`, a `Row`, another message or anything else.

    Examples
    --------
    >>> said = message("{0} is more than {1} rows; lower {n_clusters}.",
    ...                Parameter("n_clusters", 9), 8)
    >>> said
    'n_clusters=9 is more than 8 rows; lower n_clusters.'
    >>> said.naming(lambda parameter: f"--k {parameter.value or ''}".strip())
    '--k 9 is more than 8 rows; lower --k.'
    """
    parts: list[str | Parameter | Row] = []
    fields |= {str(place): value for place, value in enumerate(given)}
    for text, name, form, conversion in Formatter().parse(template):
        value = "" if name is None else fields.get(name, Parameter(name))
        value = repr(value) if conversion == "r" else value
        written = value if isinstance(value, Parameter | Row) else format(value, form or "")
        parts += [text, *(value.parts if isinstance(value, Message) else [written])]
    made = Message("".join(map(str, parts)))
    made.parts = tuple(parts)
    return made


def message_of(error: BaseException) -> str:
    """Return what an error or a warning says, with the parameters that it names."""
    (text,) = error.args if len(error.args) == 1 else (None,)
    return text if isinstance(text, str) else str(error)


@contextmanager
def stage(what: str, is_told: bool) -> Iterator[None]:
    """Report on standard error that a step begins and how long it took.

    Parameters
    ----------
    what : str
        What is done.
    is_told : bool
        Whether to report it.
    """
    if not is_told:
        yield
        return
    print(f"{what} ...", file=sys.stderr, flush=True)
    start = time.monotonic()
    yield
    print(f"{what}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
