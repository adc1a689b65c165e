"""Two files, or a model and a file -> what has changed; for ``untie drift``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from untie._engines.source import check_columns
from untie._table.frames import rows_of
from untie.cli.options import ColumnOptions, FailOn, Format
from untie.cli.reading import load, new_preparer, open_rows, tell_columns
from untie.cli.showing import chosen_format, rounded, say, show, waiting
from untie.explain import Drift, changes_between, drift

SHIFTED, SHARE, NEW, LOST, COUPLED = "column", "value", "new value", "lost value", "coupling"
"""What a line of the table is about."""

MISSING = "missing"
"""What missing cells are called."""

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
    needed = preparer._columns_read()
    check_columns(needed, other.columns, f"{new!r}", f", which {file!r} has")
    with waiting("comparing the tables", options.quiet):
        prepared = map(preparer.transform, (rows, other))
        only_new = [name for name in other.columns if name not in own]
        given: dict[str, Any] = {"alpha": alpha, "min_effect": min_effect}
        return changes_between(*prepared, **given, preparer=preparer, ignored=only_new)


def compare_with_model(
    model: Path, new: str, options: ColumnOptions, alpha: float, min_effect: float
) -> Drift:
    """Compare a file with the rows that a model was fitted on."""
    fitted = load(model)
    other = open_rows(new, options)
    with waiting("comparing the tables", options.quiet):
        return drift(fitted, other, alpha=alpha, min_effect=min_effect)


def show_changes(
    found: Drift,
    everything: bool,
    options: ColumnOptions,
) -> None:
    """Print or write the verdict and what has drifted, or all that was looked at."""
    say(found.verdict, options.quiet)
    lines = [*_columns(found, everything), *_values(found), *_couplings(found)]
    kept = [line for line in lines if everything or line["drifted"]]
    if not kept and options.output is None and chosen_format(options.format_) == Format.table:
        return  # the verdict has said it
    names = [name for name in CHANGE if everything or name != "drifted"]
    changes = rounded({name: [line.get(name) for line in kept] for name in names})
    title = "All that was compared" if everything else "What has changed"
    show(changes, options, title)


def has_failed(found: Drift, kinds: Sequence[FailOn]) -> bool:
    """Tell whether something of the kinds that the user named has drifted."""
    columns, couplings = bool(found.drifted_columns), bool(found.drifted_couplings)
    values = bool(found.appeared or found.disappeared)
    drifted = {FailOn.columns: columns, FailOn.couplings: couplings, FailOn.values: values}
    drifted[FailOn.any] = columns or couplings or values
    return any(drifted[kind] for kind in kinds)


def _columns(found: Drift, everything: bool) -> list[dict[str, Any]]:
    """Return a line for each column, and below it those of its values whose share has changed.

    A column of ranges has one line, with its medians, and perhaps one for its missing cells, unless
    everything is asked for.
    """
    alone = {
        (value["column"], value["value"])
        for frame in (found.new_values, found.lost_values)
        for value in rows_of(frame)
    }
    lines = []
    for column in rows_of(found.columns):
        medians = [column[name] for name in ("median", "new_median")]
        is_number = medians != [None, None]
        texts = dict.fromkeys(MISSING if median is None else median for median in medians)
        said = f"median {' -> '.join(texts)}" if is_number else None
        lines.append({"what": SHIFTED, "value": said, **column})
        lines += [
            {**value, "what": SHARE, "moved": abs(value["change"])}
            | {"before": value["share"], "after": value["new_share"]}
            for value in rows_of(found.frequencies)
            if value["column"] == column["column"]
            and (everything or not is_number or value["value"] == MISSING)
            and (value["column"], value["value"]) not in alone
        ]
    return lines


def _values(found: Drift) -> list[dict[str, Any]]:
    new = [{**one, "before": 0.0, "after": one["share"]} for one in rows_of(found.new_values)]
    lost = [{**one, "before": one["share"], "after": 0.0} for one in rows_of(found.lost_values)]
    return [{"what": NEW, **one} for one in new] + [{"what": LOST, **one} for one in lost]


def _couplings(found: Drift) -> list[dict[str, Any]]:
    return [
        {**pair, "what": COUPLED, "with": pair["other_column"]}
        | {"before": pair["dependence"], "after": pair["new_dependence"]}
        for pair in rows_of(found.couplings)
    ]
