"""Names of columns that the user gives."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches


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
    of = f" of {owner}" if owner else ""
    said = f"There {lacking} {', '.join(map(repr, missing))}{of} in {where}{why}; {hint}"
    raise ValueError(f"{said} {remedy}".rstrip())


def listed(names: Sequence[str], n_shown: int = 12) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - n_shown} more" if len(names) > n_shown else ""
    return f"{', '.join(map(repr, names[:n_shown]))}{more}"
