"""How far measured and published figures agree."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from untie_paper.output.report import PaperTable
from untie_paper.output.texts import cell_text, decimals, is_missing, is_number, is_text
from untie_paper.output.words import many

NEAR = 4
"""A figure is near the published one within this many times what counts as close."""


@dataclass(frozen=True)
class Agreement:
    """How many cells agree with the published ones.

    Attributes
    ----------
    compared : int
        Cells with a measured and a published number.
    to_the_digit : int
        The same in all decimals shown; of two or more, the last may be one apart.
    close, near : int
        Within the table's bound, and within four times that; each includes the count before.
    texts, same_texts : int
        Cells with a measured and a published text, and how many of them are the same.
    unmeasured : int
        Published cells without a measured one.
    """

    compared: int = 0
    to_the_digit: int = 0
    close: int = 0
    near: int = 0
    texts: int = 0
    same_texts: int = 0
    unmeasured: int = 0

    def __add__(self, other: Agreement) -> Agreement:
        names = [field.name for field in fields(self)]
        return Agreement(**{name: getattr(self, name) + getattr(other, name) for name in names})


def compare(measured: Any, published: Any, table: PaperTable) -> Agreement:
    """Compare one cell with its published one.

    Examples
    --------
    >>> compare(70.4, 70.0, PaperTable("f", "F-scores", None))
    Agreement(compared=1, to_the_digit=0, close=1, near=1, texts=0, same_texts=0, unmeasured=0)
    """
    if is_missing(published):
        return Agreement()
    if is_missing(measured):
        return Agreement(unmeasured=1)
    if is_text(measured) and is_text(published):
        same = cell_text(measured, table.digits) == cell_text(published, table.digits)
        return Agreement(texts=1, same_texts=int(same))
    if is_number(measured) and is_number(published):
        return _compare_numbers(float(measured), float(published), table)
    return Agreement()


def sentences(agreement: Agreement, bound: float) -> list[str]:
    """Say how many cells of a table agree.

    Examples
    --------
    >>> sentences(Agreement(compared=9, to_the_digit=3, close=5, near=8), 0.5)
    ['Of 9 measured figures published as well: 3 to the digit, 5 within 0.5, 8 within 2.']
    """
    said = []
    if agreement.compared:
        said.append(
            f"Of {many(agreement.compared, 'measured figure')} published as well: "
            f"{agreement.to_the_digit} to the digit"
            + (f", {agreement.close} within {bound:g}" if bound else "")
            + (f", {agreement.near} within {NEAR * bound:g}." if bound else ".")
        )
    if agreement.texts:
        said.append(
            f"Of {many(agreement.texts, 'measured word')} published as well: "
            f"{agreement.same_texts} the same."
        )
    if agreement.unmeasured:
        said.append(f"Published figures that were not measured here: {agreement.unmeasured}.")
    return said


def _compare_numbers(measured: float, published: float, table: PaperTable) -> Agreement:
    # Binary fractions must not turn a difference of exactly the bound into one above it.
    difference = abs(measured - published) - 1e-9 * max(1.0, abs(published))
    shown_alike = decimals(measured, table.digits) == decimals(published, table.digits)
    last_place = 10.0**-table.digits if table.digits >= 2 else 0.0
    exact = shown_alike or difference <= min(last_place, table.close)
    close = exact or difference <= table.close
    near = close or difference <= NEAR * table.close
    return Agreement(compared=1, to_the_digit=int(exact), close=int(close), near=int(near))
