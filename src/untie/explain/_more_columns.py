"""What has changed in columns that were counted apart from the others, beside what has in those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from untie._table import frames
from untie._table.table import read_table
from untie._util.types import FloatArray
from untie.explain._changes import Drift
from untie.explain._corrected import holm
from untie.explain._homogeneity import same_shares, share_p_values, total_variation


@dataclass(frozen=True, eq=False)
class Shares:
    """How many rows of two tables have each value of a column.

    Parameters
    ----------
    column : str
        Its name.
    values : sequence of str
        Its values, as text.
    before, after : arrays of shape (n_values,)
        The rows that have each.
    """

    column: str
    values: Sequence[str]
    before: FloatArray
    after: FloatArray


def with_columns(found: Drift, more: Sequence[Shares]) -> Drift:
    """Return what has changed with what has in more columns, which are tested by themselves.

    Their couplings are not looked at: before, they had none.
    """
    if not more:
        return found
    moved = np.array([total_variation(one.before, one.after) for one in more])
    p_values = holm(np.array([same_shares(one.before, one.after) for one in more]))
    drifted = (p_values < found.alpha) & (moved >= found.min_effect)
    columns = [
        {"column": one.column, "moved": share, "p_value": p, "drifted": has_drifted}
        for one, share, p, has_drifted in zip(
            more, moved.tolist(), p_values.tolist(), drifted.tolist(), strict=True
        )
    ]
    values = _values(found, more)
    new = [line for line in values if not line["share"] and line["new_share"]]
    lost = [line for line in values if line["share"] and not line["new_share"]]
    names = [line["column"] for line in columns if line["drifted"]]
    return replace(
        found,
        columns=_extended(found.columns, columns, "moved"),
        frequencies=_extended(found.frequencies, values, "change"),
        new_values=_extended(found.new_values, _alone(new, "after", "before"), "count"),
        lost_values=_extended(found.lost_values, _alone(lost, "before", "after"), "count"),
        drifted_columns=(*names, *found.drifted_columns),
        appeared=(*_sure(new), *found.appeared),
        disappeared=(*_sure(lost), *found.disappeared),
    )


def _values(found: Drift, more: Sequence[Shares]) -> list[dict[str, Any]]:
    """Return a line for each value, with the rows that have it."""
    p_values = [
        share_p_values(one.before, one.before.sum(), one.after, one.after.sum()) for one in more
    ]
    corrected = iter(holm(np.concatenate(p_values)).tolist())
    lines: list[dict[str, Any]] = []
    for one in more:
        totals = float(one.before.sum()), float(one.after.sum())
        for value, before, after in zip(
            one.values, one.before.tolist(), one.after.tolist(), strict=True
        ):
            share, new_share, p_value = before / totals[0], after / totals[1], next(corrected)
            change = new_share - share
            lines.append(
                {
                    "column": one.column,
                    "value": value,
                    "share": share,
                    "new_share": new_share,
                    "change": change,
                    "p_value": p_value,
                    "drifted": p_value < found.alpha and abs(change) >= found.min_effect,
                    "before": before,
                    "after": after,
                    "expected_after": share * totals[1],
                    "expected_before": new_share * totals[0],
                    "sure": p_value < found.alpha,
                }
            )
    return lines


def _alone(lines: Sequence[dict[str, Any]], where: str, other: str) -> list[dict[str, Any]]:
    """Return lines for values that one table alone has."""
    return [
        {
            "column": line["column"],
            "value": line["value"],
            "count": line[where],
            "share": max(line["share"], line["new_share"]),
            "expected": line[f"expected_{other}"],
            "p_value": line["p_value"],
            "drifted": line["sure"],
        }
        for line in lines
    ]


def _sure(lines: Sequence[dict[str, Any]]) -> list[str]:
    return [f"{line['column']}={line['value']}" for line in lines if line["sure"]]


def _extended(frame: Any, lines: Sequence[dict[str, Any]], by: str) -> Any:
    """Return a frame with more lines, the largest first."""
    cells = frames.columns_of(frame)
    both = {name: [*own, *(line[name] for line in lines)] for name, own in cells.items()}
    order = np.argsort(-np.round(np.abs(np.array(both[by], dtype=float)), 9), kind="stable")
    backend = read_table(frame, min_rows=0).backend
    return frames.make_frame(
        backend, {name: [own[place] for place in order] for name, own in both.items()}
    )
