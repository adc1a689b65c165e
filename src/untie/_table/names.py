"""Names of columns that the user gives."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches


def check_names(names: Sequence[str], present: Sequence[str], where: str, why: str = "") -> None:
    """Refuse names that are not present, and say which may be meant."""
    known = set(present)
    for name in names:
        if name not in known:
            close = get_close_matches(str(name), present, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"its columns are {_listed(present)}"
            raise ValueError(f"There is no column {name!r} in {where}{why}; {hint}")


def _listed(names: Sequence[str], n_shown: int = 12) -> str:
    more = f" and {len(names) - n_shown} more" if len(names) > n_shown else ""
    return f"{', '.join(map(repr, names[:n_shown]))}{more}."
