"""Frames as CSV, in full precision."""

from __future__ import annotations

from typing import Any


def to_csv(frame: Any) -> bytes:
    r"""Write a frame; its index is left out where it only counts the lines.

    Examples
    --------
    >>> import pandas as pd
    >>> to_csv(pd.DataFrame({"a": [1 / 3], "b": [None]}))
    b'a,b\n0.3333333333333333,\n'
    """
    import pandas as pd

    counts_lines = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    text: str = frame.to_csv(index=not counts_lines, lineterminator="\n")
    return text.encode()
