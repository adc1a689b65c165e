"""What a model's file says of itself, and the file in the newest format."""

from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from untie._persistence import formats
from untie._persistence.models import Loaded
from untie.cli.options import Format, ResultOptions
from untie.cli.showing import chosen_format, print_table, say, show
from untie.model_file import read_saved, upgrade_model

SHOWN_COLUMNS = 12
"""At most this many columns of the table are named for people."""


def show_model(path: Path, options: ResultOptions) -> None:
    """Print what a model is, what it was saved with and whether it answers as it did there."""
    found, how = describe(read_saved(path)), chosen_format(options.format_)
    if how != Format.json:
        found["versions"] = ", ".join(f"{name} {own}" for name, own in found["versions"].items())
        found["columns"] = _listed(found["columns"], is_short=how == Format.table)
    if how != Format.table:
        show({name: [value] for name, value in found.items()}, options)
        return
    known = {name: value for name, value in found.items() if value not in (None, "")}
    shown = [f"{v:.3f}" if isinstance(v, float) else str(v) for v in known.values()]
    print_table({"what": list(known), "value": shown}, path.name)


def _listed(columns: list[str], is_short: bool) -> str:
    some = columns[:SHOWN_COLUMNS] if is_short else columns
    n_more = len(columns) - len(some)
    return ", ".join(some) + (f" and {n_more:,} more" if n_more else "")


def describe(loaded: Loaded) -> dict[str, Any]:
    """Return what is to be known of a model and its file; None where it has no such thing.

    Parameters
    ----------
    loaded : Loaded
        The model, and what its file says of itself.
    """
    model = loaded.model
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    first, last = steps[0], steps[-1]
    encoder = getattr(last, "encoder_", last)
    counts, choice = getattr(encoder, "counts_", None), getattr(last, "k_choice_", None)
    vocabulary, k = getattr(encoder, "vocabulary_", None), _n_clusters(last)
    asked = getattr(last, "n_clusters", getattr(last, "n_classes", None))
    return {
        "estimator": " -> ".join(type(step).__name__ for step in steps),
        "format": loaded.number,
        "newest_format": formats.FORMAT,
        "versions": loaded.versions,
        "rows": None if counts is None else counts.n_rows,
        "n_columns": first.n_features_in_,
        "columns": [str(name) for name in getattr(first, "feature_names_in_", ())],
        "n_columns_used": None if vocabulary is None else len(vocabulary.columns),
        "n_values": None if vocabulary is None else sum(vocabulary.sizes),
        "k": k,
        "k_was_chosen": None if k is None else not isinstance(asked, int),
        "stability": None if choice is None else choice.agreement,
        "self_check": "; ".join(loaded.deviations) or "as where it was saved",
    }


def _n_clusters(last: Any) -> int | None:
    """Return the number of clusters or classes, if the model is for any."""
    for name in ("n_clusters_", "n_classes_"):
        if hasattr(last, name):
            return int(getattr(last, name))
    return len(getattr(last, "cluster_centers_", ())) or None


def upgrade_file(path: Path, output: Path | None, quiet: bool) -> None:
    """Write a model's file in the newest format, in its place or elsewhere, and say so."""
    found = read_saved(path)
    found.warn(path)
    if found.number == formats.FORMAT and output is None:
        say(f"{path} has the newest format, {found.number}; it stays as it is.", quiet)
        return
    upgrade_model(path, output or path)
    say(f"{output or path}: format {formats.FORMAT}, from format {found.number}", quiet)
