"""Two files, or a model and a file -> what has changed; for ``untie drift``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from untie._engines.source import check_columns
from untie._inputs import left_out, merged_values
from untie._table.frames import columns_of
from untie.cli.learning import load, tell_columns
from untie.cli.options import ColumnOptions, FailOn, Format, new_preparer, refuse_for_model
from untie.cli.reading import open_rows
from untie.cli.showing import Columns, chosen_format, rounded, show, waiting
from untie.explain import Drift, changes_between, drift

SHIFTED, SHARE, NEW, LOST, COUPLED = "column", "value", "new value", "lost value", "coupling"
"""What a line of the table is about."""

CHANGE = ("what", "column", "value", "with", "before", "after", "moved", "p_value", "drifted")


def compare_tables(
    file: str, new: str, options: ColumnOptions, alpha: float, min_effect: float
) -> Drift:
    """Compare two files, prepared by what the first one holds."""
    rows = open_rows(file, options)
    preparer = new_preparer(options, rows.columns)
    with waiting("looking at the columns", options.quiet):
        preparer.fit(rows)
    tell_columns(preparer, options)
    other = open_rows(new, options)
    own = {note.column for note in preparer.notes_}
    needed = [name for name in preparer.columns_ if name in own]  # not what is made of dates
    check_columns(needed, other.columns, f"{new!r}", f", which {file!r} has")
    with waiting("comparing the tables", options.quiet):
        prepared = map(preparer.transform, (rows, other))
        merged = merged_values(preparer)
        found = changes_between(*prepared, alpha=alpha, min_effect=min_effect, merged=merged)
    only_new = tuple(name for name in other.columns if name not in own)
    return replace(found, ignored=only_new, left_out=left_out(preparer))


def compare_with_model(
    model: Path, new: str, options: ColumnOptions, alpha: float, min_effect: float
) -> Drift:
    """Compare a file with the rows that a model was fitted on."""
    refuse_for_model(options)
    fitted = load(model)
    other = open_rows(new, options)
    with waiting("comparing the tables", options.quiet):
        return drift(fitted, other, alpha=alpha, min_effect=min_effect)


def show_changes(
    found: Drift, everything: bool, format_: Format | None, output: Path | None, is_safe: bool
) -> None:
    """Print or write what has drifted, or all that was looked at."""
    columns = changes(found, everything)
    is_empty = not next(iter(columns.values()))
    if is_empty and output is None and chosen_format(format_) == Format.table:
        return  # the verdict has said it
    title = "All that was compared" if everything else "What has changed"
    show(columns, format_, output, title, is_safe)


def has_failed(found: Drift, kinds: Sequence[FailOn]) -> bool:
    """Tell whether something of the kinds that the user named has drifted."""
    columns, couplings = bool(found.drifted_columns), bool(found.drifted_couplings)
    values = bool(found.appeared or found.disappeared)
    drifted = {FailOn.columns: columns, FailOn.couplings: couplings, FailOn.values: values}
    drifted[FailOn.any] = columns or couplings or values
    return any(drifted[kind] for kind in kinds)


def changes(found: Drift, everything: bool) -> Columns:
    """Return what has drifted as one table, or all that was looked at."""
    rows = [*_columns(found), *_values(found), *_couplings(found)]
    kept = [row for row in rows if everything or row["drifted"]]
    shown = [name for name in CHANGE if everything or name != "drifted"]
    return rounded({name: [row.get(name) for row in kept] for name in shown})


def _columns(found: Drift) -> list[dict[str, Any]]:
    """Return a line for each column, and below it those of its values whose share has changed."""
    alone = {
        (value["column"], value["value"])
        for frame in (found.new_values, found.lost_values)
        for value in _lines(frame)
    }
    values = [v for v in _lines(found.frequencies) if (v["column"], v["value"]) not in alone]
    lines = []
    for column in _lines(found.columns):
        lines.append({"what": SHIFTED, **_of(column, "column", "moved", "p_value", "drifted")})
        lines += [
            {
                "what": SHARE,
                "before": value["share"],
                "after": value["new_share"],
                "moved": abs(value["change"]),
                **_of(value, "column", "value", "p_value", "drifted"),
            }
            for value in values
            if value["column"] == column["column"]
        ]
    return lines


def _values(found: Drift) -> list[dict[str, Any]]:
    lines = []
    for what, frame in ((NEW, found.new_values), (LOST, found.lost_values)):
        for value in _lines(frame):
            shares = (0.0, value["share"]) if what == NEW else (value["share"], 0.0)
            lines.append(
                {
                    "what": what,
                    "before": shares[0],
                    "after": shares[1],
                    **_of(value, "column", "value", "p_value", "drifted"),
                }
            )
    return lines


def _couplings(found: Drift) -> list[dict[str, Any]]:
    return [
        {
            "what": COUPLED,
            "with": pair["other_column"],
            "before": pair["dependence"],
            "after": pair["new_dependence"],
            **_of(pair, "column", "moved", "p_value", "drifted"),
        }
        for pair in _lines(found.couplings)
    ]


def _of(line: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: line[name] for name in names}


def _lines(frame: Any) -> list[dict[str, Any]]:
    columns = columns_of(frame)
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
