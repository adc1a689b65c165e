"""The clusters: what is typical of each, and the shares of values in all of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from untie._inputs import cell_texts, order_of
from untie._table.frames import columns_of
from untie._table.intervals import equal_runs, names_in_order, phrase, run_name
from untie._util.types import FloatArray, IntArray
from untie.explain import carriers_said, examples, important_columns
from untie.report._limits import LISTED_COLUMNS, LONG_TEXT, short, shown
from untie.report._study import SURE_OF_CLUSTER, Study
from untie.report._table import Cell, TableView, count, heat_view, percent, view

CARD_COLUMNS = 25
"""Rows on a card show at most this many columns."""

CARD_VALUES = 8
"""A card names at most this many values."""

SHARE_COLUMNS, SHARE_VALUES = 20, 3
"""The heat map of clusters and values has at most this many columns, and values of each."""

PAIR_COLUMNS, PAIR_VALUES = 40, 6
"""Two clusters are compared in at most this many columns, and values of each."""

PAIR_SHOWN = 15
"""At most this many values are shown in which two clusters differ."""

SURE = 0.05
"""Values with a smaller corrected p-value are said to be typical."""

NOTHING_MAKES_IT = "No value is more frequent here than by chance."

DIVIDED = (
    "Some clusters divide further. The smaller ones are found in the rows of a cluster by the same "
    "rule, and stability is within it. Each name distinguishes one from the others in the same "
    "cluster."
)
LIFT = (
    "Lift says how many times more frequent a value is in the cluster than in the whole table; p "
    "is the chance of such a difference by luck, corrected for all values at once (Holm). The "
    "clusters were made of these very columns, so p says which differences are not noise, not "
    "that the clusters exist."
)
RANGES = "Of a column with an order, the range is named that sets the cluster apart most."
STABILITY = (
    "Stability is how well the cluster comes back in resampled rows, from 0 to 1: which clusters "
    "to rely on, not whether there are any."
)
NAMES = (
    "A name has the values that set a cluster apart from each other one; in brackets is the share "
    "of its rows that have a value, where that is less than 80%."
)
CARRYING = (
    "A cell is predicted from the cluster in which the other cells of its row are likeliest. "
    "Explained is the share of the column's entropy. A column carries the clusters if this is at "
    "least 1% and no accident (two standard errors); its share is that of all predictions of such "
    "columns. Each column is hidden alone, so a copy of it still finds the cluster."
)
COUNTED = "Rows are counted from 1."
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
        Rows that nearly belong to another cluster, with the probabilities of both.
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
    weights = study.weights
    found = examples(
        study.encoder,
        study.frame,
        labels=study.labels,
        sample_weight=weights,
        clusterer=study.clusterer,
    )
    typical, borders = (None if frame is None else columns_of(frame) for frame in found)
    made = [_card(study, number, typical, borders) for number in study.largest]
    n_more = len(study.clusters) - len(made)
    more = f"; {n_more:,} more {'is' if n_more == 1 else 'are'} in the table"
    return {
        "said": f"{shown(study.verdict.headline, LONG_TEXT)}.",
        "between": between_clusters(study),
        "carriers": carriers(study),
        "cards": made,
        "table": _all(study),
        "finer": _finer(study),
        "divided": DIVIDED,
        "meaning": _meaning(study, made),
        "at_a_glance": f"These are the largest{more} of all." if n_more else "",
        "described": f"The {len(made)} largest clusters are described below{more} only."
        if n_more
        else "",
        "nothing": NOTHING_MAKES_IT,
    }


def carriers(study: Study) -> dict[str, Any] | None:
    """Return which columns carry the clusters; None unless clusters were found."""
    if not study.verdict.found:
        return None
    about = {"labels": study.labels, "sample_weight": study.weights, "random_state": study.seed}
    found = columns_of(important_columns(study.encoder, study.frame, **about))
    lines = {name: found[name][:LISTED_COLUMNS] for name in ("column", "explained", "share")}
    lines["carries"] = ["yes" if one else "no" for one in found["carries"][:LISTED_COLUMNS]]
    kinds = "column:text explained:bar share:bar carries:text"
    table = view("carriers", "How well the clusters predict each column", kinds, lines)
    return {"said": carriers_said(found), "meaning": CARRYING, "table": table}


def between_clusters(study: Study) -> str:
    """Return a sentence on the rows between clusters; empty unless clusters were found."""
    if not study.verdict.found or len(study.clusters) < 2:
        return ""
    return uncertain_said(study.uncertain, float(study.sizes.sum()), study.is_weighted)


def uncertain_said(n_uncertain: float, n_all: float, is_weighted: bool) -> str:
    """Return a sentence on the rows whose cluster has a low probability.

    Parameters
    ----------
    n_uncertain, n_all : float
        Weight of these rows, and of all.
    is_weighted : bool
        Whether rows count differently, so that only shares are reported.

    Examples
    --------
    >>> uncertain_said(412, 5000, is_weighted=False)
    '412 of 5,000 rows (8.2%) are between clusters: the probability of their cluster is below 80%.'
    >>> uncertain_said(0, 5000, is_weighted=False)
    'No row is between clusters: each belongs to its own with a probability of at least 80%.'
    """
    sure = percent(SURE_OF_CLUSTER)
    if not n_uncertain:
        return (
            "No row is between clusters: each belongs to its own with a probability of at least "
            f"{sure}."
        )
    share = percent(n_uncertain / n_all)
    if is_weighted:
        which, whose = f"{share} of the rows, by weight, are", "their"
    elif n_uncertain == 1:
        which, whose = f"1 of {count(n_all)} rows ({share}) is", "its"
    else:
        which, whose = f"{count(n_uncertain)} of {count(n_all)} rows ({share}) are", "their"
    return f"{which} between clusters: the probability of {whose} cluster is below {sure}."


def _meaning(study: Study, made: list[Card]) -> str:
    """Return what those figures mean that are there."""
    telling = {line for card in made if card.values for line in card.values.rows}
    has_ranges = any(row[0].text in study.ordered_names for row in telling)
    has_stability = study.verdict.stability is not None
    there = (
        (NAMES, len(study.clusters) > 1),
        (LIFT, telling),
        (RANGES, has_ranges),
        (STABILITY, has_stability),
        (COUNTED, made),
    )
    return " ".join(sentence for sentence, is_there in there if is_there)


Lines = dict[str, list[Any]]


def _card(study: Study, number: int, typical: Any, borders: Any) -> Card:
    size = float(study.sizes[study.clusters.index(number)])
    unit = "row" if size == 1 else "rows"
    part = size / float(study.sizes.sum())
    lines = _lines_of(study.profile, number)
    told = zip(lines["lift"], lines["p_value"], strict=True)
    over = [line for line, (lift, p) in enumerate(told) if lift > 1 and p < SURE][:CARD_VALUES]
    lines = {key: [cells[line] for line in over] for key, cells in lines.items()}
    kinds = "column:text value:text share:bar share_elsewhere:bar lift:lift p_value:p count:count"
    telling = zip(lines["column"], lines["value"], strict=True)
    file, caption = f"cluster-{number}", f"of cluster {number}"
    near = None
    if borders is not None:
        own = _lines_of(borders, number)
        columns = (own[name] for name in ("probability", "other", "other_probability"))
        notes = [
            f"{percent(here)} here, {percent(there)} in cluster {other}"
            for here, other, there in zip(*columns, strict=True)
        ]
        near = _rows(
            study, f"{file}-border", f"Rows {caption} that nearly belong to another", own, notes
        )
    own = _lines_of(typical, number)
    copies = ["" if n == 1 else f"{count(n)} such" for n in own["weight"]]
    what = f"Values that are more frequent in cluster {number} than elsewhere"
    return Card(
        number,
        study.group_names[number],
        count(size),
        "in sum of weights" if study.is_weighted else unit,
        percent(part),
        part,
        study.verdict.said_of(number),
        tuple(phrase(shown(column, 40), shown(value, 40)) for column, value in telling),
        view(f"{file}-values", what, kinds, lines) if over else None,
        _rows(study, f"{file}-typical", f"Typical rows {caption}", own, copies),
        near,
    )


def _lines_of(lines: Lines, number: int) -> Lines:
    """Return the lines about a cluster."""
    chosen = [line for line, cluster in enumerate(lines["cluster"]) if cluster == number]
    return {key: [cells[line] for line in chosen] for key, cells in lines.items()}


def _rows(study: Study, name: str, caption: str, lines: Lines, notes: list[str]) -> TableView:
    """Return rows side by side, one line per column of the user's: long names fit a phone."""
    positions = lines["position"]
    texts = cell_texts(study.encoder, study.frame, np.array(positions, dtype=np.intp))
    kept = set(study.shares["column"][:CARD_COLUMNS])
    places = [place for place, column in enumerate(study.names) if column in kept]
    names = study.row_names(np.array(positions, dtype=np.intp)) or [""] * len(positions)
    heads = [
        f"{f'{name}, ' if name else ''}row {position + 1:,}{f' ({note})' if note else ''}"
        for name, position, note in zip(names, positions, notes, strict=True)
    ]
    columns: Lines = {"column": [study.names[place] for place in places]}
    columns |= {head: [texts[place][row] for place in places] for row, head in enumerate(heads)}
    return view(name, caption, dict.fromkeys(columns, "text"), columns)


def _all(study: Study) -> TableView:
    size = "sum of weights" if study.is_weighted else "rows"
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


def _finer(study: Study) -> TableView | None:
    """Return the clusters that divide, each followed by the smaller ones in it."""
    found = {} if study.finer is None else columns_of(study.finer.table)
    if not found or not len(found["cluster"]):
        return None
    every = sum(study.sizes)
    lines: Lines = {name: [] for name in ("cluster", "name", "share", "stability", "verdict")}
    known = columns_of(study.verdict.stability)
    stability = dict(zip(known["cluster"], known["stability"], strict=True))
    parent = None
    for place, cluster in enumerate(found["cluster"]):
        if cluster != parent:
            parent, at = cluster, study.clusters.index(int(cluster))
            share = float(study.sizes[at] / every)
            name = study.group_names[int(cluster)]
            word = study.verdict.word_of(cluster)
            line = (str(cluster), name, share, stability[cluster], word)
            for cells, cell in zip(lines.values(), line, strict=True):
                cells.append(cell)
        smaller = (found[name][place] for name in ("subcluster", *list(lines)[1:]))
        for cells, cell in zip(lines.values(), smaller, strict=True):
            cells.append(cell)
    kinds = "cluster:text name:text share:bar stability:cut verdict:text"
    return view("subclusters", "Clusters within clusters", kinds, lines)


MOST_RUNS = 4
"""Numbers and other values with an order are shown in at most this many ranges."""

MUCH = 0.05
"""A further value of a column is shown if its share in a cluster is as far from the usual one."""

LEAST = 0.005
"""Shares that differ by less are not listed side by side."""


@dataclass(frozen=True, eq=False)
class ValueLine:
    """A value, or a run of neighboring ones, and how often the clusters have it.

    Parameters
    ----------
    column, value : str
        What they are called.
    counts : array of shape (n_clusters,)
        Weight of each cluster's rows that have it.
    """

    column: str
    value: str
    counts: FloatArray


def shares_in_clusters(study: Study) -> dict[str, Any] | None:
    """Return a heat map of clusters and values; None for a single cluster."""
    if len(study.clusters) < 2:
        return None
    lines = _those_that_differ(value_lines(study, SHARE_COLUMNS, SHARE_VALUES), study)
    places = [study.clusters.index(number) for number in study.largest]
    rows = [
        (phrase(shown(line.column, 40), shown(line.value, 40)), _cells(line, study, places))
        for line in lines
    ]
    columns = [f"{number}: {study.group_names[number]}" for number in study.largest]
    caption = "Share of each cluster's rows that have a value"
    n_all, n_more, said = len(study.names), len(study.clusters) - len(places), []
    if n_all > SHARE_COLUMNS:
        which = f"the {SHARE_COLUMNS} of {n_all:,} columns in which the clusters differ most"
        said.append(f"These are {which}.")
    if n_more:
        smallest = "smallest cluster is" if n_more == 1 else f"{n_more:,} smallest clusters are"
        said.append(f"The {smallest} left out.")
    return {
        "said": " ".join(said),
        "table": heat_view("shares", caption, "value", [*columns, "all rows"], rows),
    }


def _those_that_differ(lines: list[ValueLine], study: Study) -> list[ValueLine]:
    """Leave out values of which all clusters have about as many; each column keeps its first."""
    columns: set[str] = set()
    kept = []
    for line in lines:
        usual = line.counts.sum() / study.sizes.sum()
        apart = np.abs(line.counts / study.sizes - usual).max()
        if apart >= MUCH or line.column not in columns:
            kept.append(line)
        columns.add(line.column)
    return kept


def _cells(line: ValueLine, study: Study, places: list[int]) -> list[Cell]:
    overall = float(line.counts.sum() / study.sizes.sum())
    shares = [float(line.counts[place] / study.sizes[place]) for place in places]
    cells = [Cell(percent(share), repr(share), heat=share - overall) for share in shares]
    return [*cells, Cell(percent(overall), repr(overall), heat=0.0)]


def side_by_side(study: Study) -> dict[str, Any] | None:
    """Return what a script needs to compare any two clusters, and the two largest compared."""
    if len(study.clusters) < 2:
        return None
    lines = value_lines(study, PAIR_COLUMNS, PAIR_VALUES)
    places = np.argsort(-study.sizes, kind="stable")[:2]
    first, second = sorted(study.clusters[place] for place in places)
    one, other = (f"cluster {number} ({study.group_names[number]})" for number in (first, second))
    return {
        "said": f"C{one[1:]} beside {other}; the difference is in percentage points.",
        "clusters": study.clusters,
        "first": first,
        "second": second,
        "names": [study.group_names[number] for number in study.clusters],
        "sizes": [short(size, 12) for size in study.sizes],
        "lines": [
            [shown(line.column, 60), shown(line.value, 60), [short(n, 12) for n in line.counts]]
            for line in lines
        ],
        "table": _pair(study, lines, first, second),
    }


def _pair(study: Study, lines: list[ValueLine], first: int, second: int) -> TableView:
    places = [study.clusters.index(number) for number in (first, second)]
    shares = np.array([line.counts[places] / study.sizes[places] for line in lines]).reshape(-1, 2)
    apart = shares[:, 0] - shares[:, 1]
    order = [line for line in np.argsort(-np.abs(apart), kind="stable") if abs(apart[line]) > LEAST]
    order = order[:PAIR_SHOWN]
    heads = [f"cluster {number}" for number in (first, second)]
    columns = {
        "column": [shown(lines[line].column, 60) for line in order],
        "value": [shown(lines[line].value, 60) for line in order],
        **{head: shares[order, side].tolist() for side, head in enumerate(heads)},
        "difference": apart[order].tolist(),
    }
    kinds = {"column": "text", "value": "text", **dict.fromkeys(heads, "bar")}
    caption = f"Where clusters {first} and {second} differ most"
    return view("side-by-side", caption, {**kinds, "difference": "points"}, columns)


def value_lines(study: Study, most_columns: int, per_column: int) -> list[ValueLine]:
    """Return the values in which clusters differ most, column by column.

    Parameters
    ----------
    study : Study
        What the page is about.
    most_columns, per_column : int
        At most this many columns, and values or ranges of each.
    """
    table = study.in_clusters
    told = [float(_told(entries.counts).sum()) for entries in table.entries]
    order = np.argsort(-np.round(told, 9), kind="stable")[:most_columns]
    return [line for place in order for line in _lines(study, int(place), per_column)]


def _lines(study: Study, place: int, most: int) -> list[ValueLine]:
    entries, column = study.in_clusters.entries[place], study.in_clusters.columns[place]
    counts, names = entries.counts, list(entries.names)
    positions = order_of(study.encoder, place)
    if positions is not None:
        known = study.encoder.vocabulary_.labels(place)
        at = dict(zip(known, positions.tolist(), strict=True))
        where = np.array([at.get(name, -1) for name in names], dtype=np.intp)
        found = _runs(column, counts, where, names_in_order(known, positions), min(most, MOST_RUNS))
        for code in np.flatnonzero(where < 0)[:1]:  # such as missing
            found.append(ValueLine(column, names[code], counts[:, code]))
        return [line for line in found if line.counts.any()]
    best = np.argsort(-np.round(_told(counts).sum(axis=0), 9), kind="stable")[:most]
    if len(names) == 2:  # one of two says all; the rarer is likely to be the yes of a yes and no
        best = np.array([1 if counts[:, 1].sum() <= counts[:, 0].sum() else 0])
    return [ValueLine(column, names[code], counts[:, code]) for code in best]


def _runs(
    column: str, counts: FloatArray, where: IntArray, names: list[str], most: int
) -> list[ValueLine]:
    """Return runs of the values of a column that have a place in its order."""
    at_each = np.zeros((len(counts), len(names)))
    placed = np.flatnonzero(where >= 0)
    np.add.at(at_each.T, where[placed], counts[:, placed].T)
    runs = equal_runs(at_each.sum(axis=0), most) if at_each.any() else []
    return [
        ValueLine(column, run_name(names, *run), at_each[:, slice(*run)].sum(axis=1))
        for run in runs
    ]


def _told(counts: FloatArray) -> FloatArray:
    """Return what each cluster and value adds to their mutual information, in bits."""
    joint = counts / counts.sum()
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    ratio = np.divide(joint, expected, out=np.ones_like(joint), where=joint > 0)
    return joint * np.log2(ratio)
