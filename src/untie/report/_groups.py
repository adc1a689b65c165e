"""The clusters: what is typical of each, and the shares of values in all of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from untie._inputs import cell_texts
from untie._table.frames import columns_of
from untie._table.intervals import phrase
from untie.explain import examples
from untie.report._limits import CARD_COLUMNS, CARD_VALUES, LONG_TEXT, shown
from untie.report._study import Study
from untie.report._table import TableView, count, percent, view

SURE = 0.05
"""Values with a smaller corrected p-value are said to be typical."""

NOTHING_MAKES_IT = "No value is more frequent here than by chance."

LIFT = (
    "Lift says how many times more frequent a value is in the cluster than in the whole table; p "
    "is the chance of such a difference by luck, corrected for all values at once (Holm). The "
    "clusters were made of these very columns, so p says which differences are not noise, not "
    "that the clusters exist."
)
RANGES = "Of a column with an order, the range is named that sets the cluster apart most."
STABILITY = "Stability is how well the cluster comes back in resampled rows, from 0 to 1."
"""What the figures mean."""


@dataclass(frozen=True)
class Card:
    """What is said of a cluster.

    Parameters
    ----------
    number : int
        The cluster.
    name : str
        A few words for it.
    size, share : str
        Weight of its rows, in numbers and as a share.
    unit : str
        What the size is a number of.
    part : float
        The share as a number.
    stability : str
        Whether it comes back in resampled rows.
    typical : tuple of str
        Its most telling values.
    values : TableView or None
        What makes it; None if no value is more frequent in it than by chance.
    typical_rows : TableView
        Rows near its mean.
    border_rows : TableView or None
        Rows near another cluster.
    """

    number: int
    name: str
    size: str
    unit: str
    share: str
    part: float
    stability: str
    typical: tuple[str, ...]
    values: TableView | None
    typical_rows: TableView
    border_rows: TableView | None


def cards(study: Study) -> dict[str, Any]:
    """Return the cards of the largest clusters, and a table of all."""
    examples = _examples(study)
    made = [_card(study, number, examples) for number in study.largest]
    n_more = len(study.clusters) - len(made)
    more = f"; {n_more:,} more {'is' if n_more == 1 else 'are'} in the table"
    return {
        "said": f"{shown(study.verdict.headline, LONG_TEXT)}.",
        "cards": made,
        "table": _all(study),
        "meaning": _meaning(study, made),
        "at_a_glance": f"These are the largest{more} of all." if n_more else "",
        "described": f"The {len(made)} largest clusters are described below{more} only."
        if n_more
        else "",
        "nothing": NOTHING_MAKES_IT,
    }


def _meaning(study: Study, made: list[Card]) -> str:
    """Return what those figures mean that are there."""
    telling = {line for card in made if card.values for line in card.values.rows}
    has_ranges = any(row[0].text in study.ordered_names for row in telling)
    has_stability = study.verdict.stability is not None
    there = ((LIFT, telling), (RANGES, has_ranges), (STABILITY, has_stability))
    return " ".join(sentence for sentence, is_there in there if is_there)


Lines = dict[str, list[Any]]


def _card(study: Study, number: int, examples: dict[str, Lines]) -> Card:
    size = float(study.sizes[study.clusters.index(number)])
    part = size / float(study.sizes.sum())
    lines = _lines_of(study.profile, number)
    told = zip(lines["lift"], lines["p_value"], strict=True)
    over = [line for line, (lift, p) in enumerate(told) if lift > 1 and p < SURE][:CARD_VALUES]
    lines = {key: [cells[line] for line in over] for key, cells in lines.items()}
    kinds = "column:text value:text share:bar share_elsewhere:bar lift:lift p_value:p count:count"
    typical = tuple(
        phrase(shown(attribute, 40), shown(value, 40))
        for attribute, value in zip(lines["column"], lines["value"], strict=True)
    )
    caption = f"Values that are more frequent in cluster {number} than elsewhere"
    rows = {name: _lines_of(found, number) for name, found in examples.items()}
    borders = rows["borders"]
    notes = [
        f"almost cluster {other}" if margin >= 0 else f"nearer to cluster {other}"
        for other, margin in zip(borders.get("other", []), borders.get("margin", []), strict=True)
    ]
    copies = ["" if n == 1 else f"{count(n)} such" for n in rows["typical"]["weight"]]
    return Card(
        number,
        study.group_names[number],
        count(size),
        _unit(study, size),
        percent(part),
        part,
        study.verdict.said_of(number),
        typical,
        view(f"cluster-{number}-values", caption, kinds, lines) if over else None,
        _rows(
            study,
            f"cluster-{number}-typical",
            f"Typical rows of cluster {number}",
            rows["typical"]["position"],
            copies,
        ),
        _rows(
            study,
            f"cluster-{number}-border",
            f"Rows of cluster {number} near another",
            borders["position"],
            notes,
        )
        if borders
        else None,
    )


def _unit(study: Study, size: float) -> str:
    if study.weights is not None:
        return "in sum of weights"
    return "row" if size == 1 else "rows"


def _examples(study: Study) -> dict[str, Lines]:
    weights = study.weights
    found = examples(study.encoder, study.frame, labels=study.labels, sample_weight=weights)
    typical, borders = (None if frame is None else columns_of(frame) for frame in found)
    return {"typical": typical or {}, "borders": borders or {}}


def _lines_of(lines: Lines, number: int) -> Lines:
    if not lines:
        return {}
    chosen = [line for line, cluster in enumerate(lines["cluster"]) if cluster == number]
    return {key: [cells[line] for line in chosen] for key, cells in lines.items()}


def _rows(
    study: Study, name: str, caption: str, positions: list[int], notes: list[str]
) -> TableView:
    """Return rows side by side, one line per column of the user's: long names fit a phone."""
    texts = cell_texts(study.encoder, study.frame, np.array(positions, dtype=np.intp))
    kept = set(study.shares["column"][:CARD_COLUMNS])
    places = [place for place, column in enumerate(study.names) if column in kept]
    heads = [
        f"row {position:,}{f' ({note})' if note else ''}"
        for position, note in zip(positions, notes, strict=True)
    ]
    columns: Lines = {"column": [study.names[place] for place in places]}
    columns |= {head: [texts[place][row] for place in places] for row, head in enumerate(heads)}
    return view(name, caption, dict.fromkeys(columns, "text"), columns)


def _all(study: Study) -> TableView:
    size = "rows" if study.weights is None else "sum of weights"
    columns: Lines = {
        "cluster": study.clusters,
        "name": [study.group_names[number] for number in study.clusters],
        size: study.sizes.tolist(),
        "share": (study.sizes / study.sizes.sum()).tolist(),
    }
    kinds = {"cluster": "count", "name": "text", size: "count", "share": "bar"}
    if study.verdict.stability is not None:  # of a single cluster there is nothing to say
        stability = columns_of(study.verdict.stability)
        columns |= {name: stability[name] for name in ("stability", "lowest")}
        columns["verdict"] = [study.verdict.word_of(number) for number in study.clusters]
        kinds |= {"stability": "cut", "lowest": "cut", "verdict": "text"}
    return view("clusters", "All clusters", kinds, columns)
