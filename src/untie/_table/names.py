"""The names of columns that the user gives: what they stand for, and whether they are there."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from untie._util.messages import message

ADD_COLUMN = "Rename or add the column there."
"""The remedy where a table lacks a column of the model."""


def check_names(
    names: Sequence[str],
    present: Sequence[str],
    where: str,
    why: str = "",
    remedy: str = "",
    owner: str = "",
) -> None:
    """Refuse names that are not present, and say which may be meant or which there are.

    Parameters
    ----------
    names : sequence of str
        The columns that are asked for.
    present : sequence of str
        Those that there are.
    where : str
        What should have them, such as "the table".
    why : str
        Why they are asked for, such as ", which drop names".
    remedy : str
        A further sentence on what to do.
    owner : str
        What has the columns, if that is why they are asked for, such as "the model".

    Examples
    --------
    >>> check_names(["colr"], ["Color", "Root"], "the table")
    Traceback (most recent call last):
    ...
    ValueError: There is no column 'colr' in the table; did you mean 'Color'?
    """
    known = set(present)
    missing = [str(name) for name in names if name not in known]
    if not missing:
        return
    # A column that is asked for by its own name is not meant by another.
    asked = set(names)
    others = [str(name) for name in present if name not in asked]
    by_letters = {name.lower(): name for name in others}
    close = get_close_matches(missing[0].lower(), by_letters, n=1) if len(missing) == 1 else []
    hint = (
        f"did you mean {by_letters[close[0]]!r}?"
        if close
        else f"its columns are {listed(present)}."
    )
    lacking = "is no column" if len(missing) == 1 else "are no columns"
    of, named = f" of {owner}" if owner else "", ", ".join(map(repr, missing))
    said = message("There {0} {1}{2} in {3}{4}; {5}", lacking, named, of, where, why, hint)
    raise ValueError(message("{0} {1}", said, remedy) if remedy else said)


def expand_names(given: Iterable[Any], present: Sequence[str]) -> list[Any]:
    """Return names of columns, with those that match for each pattern; each once.

    A pattern has * for any text or ? for one character. A column with such a name is meant by it,
    and a pattern that matches nothing stays, to be refused as a name.

    Parameters
    ----------
    given : iterable
        Names, patterns, or anything else that names a column, such as its position.
    present : sequence of str
        The columns that there are.

    Examples
    --------
    >>> expand_names(["A*", "age", 0], ["A1", "A2", "age", "B1"])
    ['A1', 'A2', 'age', 0]
    """
    found: list[Any] = []
    for name in given:
        found += _matching(name, present) if _is_pattern(name, present) else [name]
    return list(dict.fromkeys(found))


def expand_keys(given: Mapping[Any, Any], present: Sequence[str]) -> dict[Any, Any]:
    """Return a mapping from columns in which patterns stand for all that match; a name comes first.

    Examples
    --------
    >>> expand_keys({"A1": 3, "A*": 2, "age": 0}, ["A1", "A2", "age"])
    {'A1': 3, 'A2': 2, 'age': 0}
    """
    named = {name: own for name, own in given.items() if not _is_pattern(name, present)}
    found: dict[Any, Any] = {}
    for key, own in given.items():
        for name in expand_names([key], present):
            found.setdefault(name, named.get(name, own))
    return found


def _is_pattern(name: Any, present: Sequence[str]) -> bool:
    return isinstance(name, str) and name not in present and ("*" in name or "?" in name)


def _matching(pattern: str, present: Sequence[str]) -> list[str]:
    plain = pattern.replace("[", "[[]")  # brackets are letters of a name
    return [name for name in present if fnmatchcase(name, plain)] or [pattern]


def refuse_repeated(columns: Sequence[str], origin: str | None = None) -> None:
    """Refuse columns of the same name."""
    repeated = sorted(name for name, n in Counter(columns).items() if n > 1)
    if repeated:
        which = "columns" if origin is None else f"columns of {origin}"
        raise ValueError(
            f"Column names must be distinct; rename {which}, as these occur again: {repeated}."
        )


def check_column(name: Any, present: Sequence[str], argument: str) -> None:
    """Refuse what does not name a column; for the cells of a column, say how to add them.

    Parameters
    ----------
    name : str or None
        What the user gave; None is nothing to check.
    present : sequence of str
        The table's columns.
    argument : str
        What it was given as, such as "label".

    Examples
    --------
    >>> check_column(["a", "b"], ["Color", "Root"], "label")
    Traceback (most recent call last):
    ...
    TypeError: label is the name of a column, got list; add the cells to the table as a column, \
with data.assign(label=...) in pandas, and pass label='label'.
    """
    if name is None:
        return
    if isinstance(name, str):
        check_names([name], present, "the table", f", which {argument} names")
        return
    own = getattr(name, "name", None)
    called = own if isinstance(own, str) and own.isidentifier() else argument
    remedy = f"pass {argument}={called!r}"
    if called not in present:
        adding = f"with data.assign({called}=...) in pandas"
        remedy = f"add the cells to the table as a column, {adding}, and {remedy}"
    raise TypeError(f"{argument} is the name of a column, got {type(name).__name__}; {remedy}.")


def listed(names: Sequence[str], n_shown: int = 12) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - n_shown} more" if len(names) > n_shown else ""
    return f"{', '.join(map(repr, names[:n_shown]))}{more}"
