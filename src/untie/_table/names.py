"""Names of columns that the user gives."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from untie._util.words import message


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
    >>> check_names(["Colour"], ["Color", "Root"], "the table")
    Traceback (most recent call last):
    ...
    ValueError: There is no column 'Colour' in the table; did you mean 'Color'?
    """
    known = set(present)
    missing = [str(name) for name in names if name not in known]
    if not missing:
        return
    # A column that is asked for by its own name is not meant by another.
    asked = set(names)
    others = [str(name) for name in present if name not in asked]
    close = get_close_matches(missing[0], others, n=1) if len(missing) == 1 else []
    hint = f"did you mean {close[0]!r}?" if close else f"its columns are {listed(present)}."
    lacking = "is no column" if len(missing) == 1 else "are no columns"
    of, named = f" of {owner}" if owner else "", ", ".join(map(repr, missing))
    said = message("There {0} {1}{2} in {3}{4}; {5}", lacking, named, of, where, why, hint)
    raise ValueError(message("{0} {1}", said, remedy) if remedy else said)


def check_column(name: Any, present: Sequence[str], argument: str) -> None:
    """Refuse what names no column; who has its cells instead is told what to do with them.

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
