"""What an experiment reports: sentences, tables and figures, not yet in any format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PaperTable:
    """Measured figures, beside the published ones where there are any.

    Attributes
    ----------
    name : str
        The stem of its files.
    title : str
        Its caption.
    measured : pandas DataFrame
        The index holds the row labels (named); the columns are numbers or text.
    published : pandas DataFrame, optional
        Printed figures with the same labels, for some or all of the rows and columns.
    digits : int
        Decimals of the numbers.
    close : float
        Measured and published figures that differ by more are marked.
    note : str
        What a reader must know to read it.
    footnotes : mapping from (row label, column label) to str
        What a reader must know of single cells, in sentences. Cells with the same words have the
        same sign; the CSV has none.
    """

    name: str
    title: str
    measured: Any
    published: Any = None
    digits: int = 2
    close: float = 0.5
    note: str = ""
    footnotes: Mapping[tuple[Any, Any], str] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """Data and how to draw it.

    Attributes
    ----------
    name : str
        The stem of its files.
    title : str
        Its caption, with its place in the paper.
    data : pandas DataFrame
        Everything that is drawn; written as CSV beside the picture.
    draw : callable
        Data -> matplotlib Figure (made with `matplotlib.figure.Figure`, no pyplot).
    text : str
        What it shows in words, for those who cannot see it.
    """

    name: str
    title: str
    data: Any
    draw: Callable[[Any], Any]
    text: str


@dataclass(frozen=True)
class PaperReport:
    """The findings of one experiment.

    Attributes
    ----------
    findings : sequence of str
        Sentences made from the figures: what agrees with the paper and what does not.
    tables, figures : sequences
        In the order of reading.
    """

    findings: Sequence[str]
    tables: Sequence[PaperTable] = field(default_factory=tuple)
    figures: Sequence[Figure] = field(default_factory=tuple)
