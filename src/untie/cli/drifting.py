"""Two files, or a model and a file -> what has changed; for ``untie drift``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from untie._engines.source import check_columns
from untie._table.frames import columns_of
from untie.cli.guard import UserError
from untie.cli.learning import as_seen, load_encoder
from untie.cli.options import ColumnOptions, split_names
from untie.cli.reading import names_of, read_source
from untie.cli.showing import Columns, say
from untie.cli.spinner import waiting
from untie.cli.table import open_table
from untie.explain import Drift, drift

SHIFTED, NEW, LOST, COUPLED = "frequencies", "new value", "lost value", "coupling"
"""What a line of the table is about."""

CHANGE = ("what", "column", "value", "with", "before", "after", "moved", "p_value", "drifted")


def compare_tables(
    file: str, new: str, options: ColumnOptions, alpha: float, min_effect: float
) -> Drift:
    """Compare two files, prepared by what the first one holds."""
    table = open_table(file, options, in_memory_now=False)
    other = _open(new, options)
    preparer = table.preparer
    assert preparer is not None
    left_out = {note.column for note in preparer.notes_}
    check_columns(list(preparer.columns_), names_of(other), f"{new!r}", f", which {file!r} has")
    only_new = [name for name in names_of(other) if name not in left_out]
    if only_new:
        say(f"Not looked at, as {file!r} lacks them: {', '.join(only_new)}.", options.quiet)
    with waiting("comparing the tables", options.quiet):
        given = {"alpha": alpha, "min_effect": min_effect}
        return drift(table.data, preparer.transform(other), **given)


def compare_with_model(
    model: Path, new: str, options: ColumnOptions, alpha: float, min_effect: float
) -> Drift:
    """Compare a file with the rows that a model was fitted on."""
    if options.columns or options.drop or options.categorical:
        raise UserError(
            "--columns, --drop and --categorical are for two files; the model has its own columns."
        )
    encoder, preparer = load_encoder(model)
    rows = as_seen(encoder, preparer, _open(new, options), [])
    with waiting("comparing the tables", options.quiet):
        return drift(encoder, rows, alpha=alpha, min_effect=min_effect)


def changes(found: Drift, everything: bool) -> Columns:
    """Return what has drifted as one table, or all that was looked at."""
    rows = [*_columns(found), *_values(found), *_couplings(found)]
    kept = [row for row in rows if everything or row["drifted"]]
    shown = [name for name in CHANGE if everything or name != "drifted"]
    return {name: [row.get(name) for row in kept] for name in shown}


def _columns(found: Drift) -> list[dict[str, Any]]:
    """Return a line for each column, and below it those of its values whose share has changed."""
    values = list(_lines(found.frequencies))
    lines = []
    for column in _lines(found.columns):
        lines.append({"what": SHIFTED, **_of(column, "column", "moved", "p_value", "drifted")})
        lines += [
            {
                "what": SHIFTED,
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


def _open(file: str, options: ColumnOptions) -> Any:
    missing = split_names(options.missing, [])
    rows, remarks = read_source(file, None, options.delimiter, options.encoding, missing)
    for remark in remarks:
        say(remark, options.quiet)
    return rows
