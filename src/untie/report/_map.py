"""The map: positions of rows, their cells, and the nearest rows with the reason."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from untie._count.packed_rows import distinct_rows
from untie._inputs import cell_texts, known_space, labels_in_order, order_of
from untie._learn.spaces.value_space import KnownSpace
from untie._table.intervals import equal_runs, run_name
from untie._util.types import Codes, FloatArray, IntArray
from untie.encoder import TableEncoder
from untie.plot import principal
from untie.report._label import answer_texts, answer_totals
from untie.report._limits import TEXT, short, shown
from untie.report._study import Study

MAP_TEXT_BYTES = 1_000_000
"""The values of the map's columns, and the answers, have at most this many bytes."""

N_NEIGHBORS = 5
"""Number of nearest rows listed for each row on the map."""

N_REASONS = 8
"""At most this many columns are named as reasons for a neighbor."""

BLOCK_ROWS = 64
"""Rows are compared with all others this many at a time."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """The distinct rows among some.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    codes : list of integer arrays of shape (n_kinds,)
        The distinct rows, one array per attribute.
    first : integer array of shape (n_kinds,)
        Which of the rows is the first of each kind.
    members : integer array of shape (n_rows,)
        The kind of each row.
    known : KnownSpace, optional
        To compare rows by the cells that are known. By default a missing cell is a value.
    """

    encoder: TableEncoder
    codes: Codes
    first: IntArray
    members: IntArray
    known: KnownSpace | None = None

    def __len__(self) -> int:
        return len(self.first)

    def products(self, attribute: int) -> tuple[FloatArray, IntArray]:
        """Return the inner products of the values that occur, and which of them each kind has."""
        present, places = np.unique(self.codes[attribute], return_inverse=True)
        if self.known is not None:
            deviations = self.known.deviations(attribute, present)
            return deviations @ deviations.T, places.ravel()
        vectors: Any = self.encoder._model.vectors.tables[attribute][present]
        products = vectors @ vectors.T
        dense = products.toarray() if sparse.issparse(products) else products
        return np.asarray(dense, dtype=float), places.ravel()

    @cached_property
    def similarities(self) -> FloatArray:
        """The similarity of every kind to every other; shape (n_kinds, n_kinds)."""
        total = np.zeros((len(self), len(self)))
        for attribute in range(len(self.codes)):
            products, places = self.products(attribute)
            columns = products[:, places]
            for start in range(0, len(total), BLOCK_ROWS):  # they stay in the cache
                rows = slice(start, start + BLOCK_ROWS)
                total[rows] += columns[places[rows]]
        return total

    @cached_property
    def distances(self) -> FloatArray:
        """The distance of every kind to every other; shape (n_kinds, n_kinds)."""
        own = self.similarities.diagonal()
        squares: FloatArray = own[:, None] + own - 2.0 * self.similarities
        if self.known is not None:
            spread = self.known.spread(self.codes)
            squares = squares + spread[:, None] + spread
        # Rounded, as sums in another order differ in their last digits.
        squares = np.asarray(np.round(np.maximum(squares, 0.0), 9), dtype=np.float64)
        np.fill_diagonal(squares, 0.0)
        return np.sqrt(squares)

    def parts(
        self, attribute: int, left: IntArray, right: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what an attribute adds to the similarity and squared distance of pairs."""
        products, places = self.products(attribute)
        own = products.diagonal()
        first, second = places[left], places[right]
        similarity = products[first, second]
        squares = np.maximum(own[first] + own[second] - 2.0 * similarity, 0.0)
        squares = np.where(first == second, 0.0, squares)
        if self.known is not None:
            spread = self.known.spreads[attribute][self.codes[attribute]]
            squares = squares + spread[left] + spread[right]
        return similarity, squares

    def where_known(self) -> Kinds:
        """Return the rows as they are compared in the search for neighbors."""
        known = known_space(self.encoder)
        return replace(self, known=known) if known.says_less(self.codes) else self


def find_kinds(encoder: TableEncoder, rows: Any) -> Kinds:
    """Merge equal rows."""
    codes = encoder._codes(rows)
    widths = [size + 1 for size in encoder.vocabulary_.sizes]
    found = distinct_rows(codes, widths, None)
    return Kinds(encoder, found.codes, found.first, found.positions)


SIDE = 10_000
"""Coordinates are whole numbers from 0 to this."""

FEWEST_FOR_TSNE = 10
"""Distinct rows below which t-SNE has nothing to show."""

COLORED_RANGES = 7
"""Of more ranges, neighbors have a color together."""

GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))


def landscape(study: Study) -> dict[str, Any]:
    """Return the data of the map, as plain as JSON."""
    kinds = find_kinds(study.encoder, study.rows(study.sample))
    columns, places = _columns(study)
    return {
        "rows": (study.sample + 1).tolist(),  # as people count them
        "row_names": study.row_names(study.sample),
        "clusters": study.labels[study.sample].tolist(),
        "kinds": kinds.members.tolist(),
        "first": kinds.first.tolist(),
        "layouts": _layouts(kinds, study.seed),
        "columns": columns,
        "n_cells": len(places),
        "neighbors": _neighbors(kinds.where_known(), places),
        "n_rows": study.n_rows,
        "n_columns": len(study.names),
        "names": {str(number): name for number, name in study.group_names.items()},
        "sizes": _sizes(study),
        "is_sample": len(study.sample) < study.n_rows,
        "is_weighted": study.is_weighted,
    }


def _sizes(study: Study) -> dict[str, float | int | None]:
    """Return the weight of each cluster's rows, on the map or not."""
    pairs = zip(study.clusters, study.sizes.tolist(), strict=True)
    return {str(number): short(size, 12) for number, size in pairs}


def embed(data: Any) -> str:
    """Return JSON that may stand in a script element, whatever text is in it.

    Examples
    --------
    >>> embed(["</script>", "a & b"]).count(chr(92) + "u00")
    3
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _columns(study: Study) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the cells of the columns that are shown, and which columns these are."""
    texts = cell_texts(study.encoder, study.frame, study.sample)
    places, size = list(study.main_columns), TEXT
    while True:
        columns = [_column(study, place, texts[place], size) for place in places]
        if study.answers is not None:
            columns.append(_answers(study, size))
        taken = len(embed([column["labels"] for column in columns]).encode())
        if taken <= MAP_TEXT_BYTES or (len(places) == 1 and size < 10):
            break
        if size > TEXT // 4 or len(places) == 1:
            size //= 2
        else:
            kept = set(study.shares["column"][: len(places) // 2])
            places = [place for place in places if study.names[place] in kept]
    return columns, places


def _column(study: Study, place: int, cells: list[str], size: int) -> dict[str, Any]:
    known = labels_in_order(study.encoder, place)
    positions = order_of(study.encoder, place)
    ranges: list[str] = []
    if positions is not None:
        ranges = [name for name in known[: int((positions >= 0).sum())] if name in set(cells)]
    column = {"name": shown(study.names[place]), **_coded(cells, known, size)}
    totals = _totals(study, place)
    column["totals"] = [short(totals.get(label, 0.0), 12) for label in column.pop("own")]
    runs = _runs(column, ranges, size) if len(ranges) > COLORED_RANGES else {}
    return {**column, "ordered": len(ranges), **runs}


def _totals(study: Study, place: int) -> dict[str, float]:
    """Return the weight of all rows with each value, by what the map calls it."""
    entries = study.in_clusters.entries[place]
    weights = entries.counts.sum(axis=0).tolist()
    found = dict(zip(entries.names, weights, strict=True))
    marked = {f"{name}{mark}": n for name, n in found.items() for mark in (" (rare)", " (unknown)")}
    return marked | found


def _runs(column: dict[str, Any], ranges: list[str], size: int) -> dict[str, Any]:
    """Return neighboring ranges that have a color together: their names, and whose each is."""
    n = len(ranges)
    weights = np.bincount(column["codes"], minlength=len(column["labels"])).astype(float)
    runs = equal_runs(weights[:n], COLORED_RANGES)
    names = [shown(run_name(ranges, *run), size) for run in runs]
    members = [number for number, (start, stop) in enumerate(runs) for _ in range(start, stop)]
    others = column["labels"][n:]
    return {
        "runs": [*names, *others],
        "run_of": [*members, *range(len(runs), len(runs) + len(others))],
        "n_runs": len(runs),
    }


def _answers(study: Study, size: int) -> dict[str, Any]:
    assert study.answers is not None
    texts, totals = answer_texts(study), answer_totals(study)
    learned = "label" if study.answers.is_learned else "not learned from"
    name = f"{shown(study.answers.name)} ({learned})"
    column = _coded([texts[place] for place in study.sample], [], size)
    column["totals"] = [short(totals[label], 12) for label in column.pop("own")]
    return {"name": name, **column, "ordered": 0, "is_answer": True}


def _coded(cells: list[str], known: list[str], size: int) -> dict[str, Any]:
    """Return labels in their order, in full and as shown, and the number of each cell's."""
    order = {label: number for number, label in enumerate(known)}
    present = sorted(set(cells), key=lambda text: (order.get(text, len(order)), text))
    places = {label: number for number, label in enumerate(present)}
    return {
        "own": present,
        "labels": [shown(label, size) for label in present],
        "codes": [places[cell] for cell in cells],
    }


def _layouts(kinds: Kinds, seed: int) -> dict[str, list[int]]:
    """Return the places of the rows: x and y of the first, of the second, ..."""
    weights = np.bincount(kinds.members).astype(float)
    plane = principal(kinds.similarities, weights, 2)[0]
    layouts = {"PCA": plane}
    if len(kinds) >= FEWEST_FOR_TSNE:
        layouts = {"t-SNE": _tsne(kinds.distances, plane, seed), **layouts}
    return {name: _on_grid(places, kinds.members) for name, places in layouts.items()}


def _tsne(distances: FloatArray, start: FloatArray, seed: int) -> FloatArray:
    from sklearn.manifold import TSNE  # takes a moment to import

    spread = start[:, 0].std()
    tsne = TSNE(
        metric="precomputed",
        init=start / spread * 1e-4 if spread > 0 else "random",
        perplexity=min(30.0, (len(distances) - 1) / 3.0),
        angle=0.7,
        max_iter=500,
        random_state=seed,
    )
    with threadpool_limits(1):  # the same sums in the same order
        return np.asarray(tsne.fit_transform(distances), dtype=float)


def _on_grid(places: FloatArray, members: IntArray) -> list[int]:
    """Scale places to the map's square, with copies of a row in a small spiral around it."""
    low, high = places.min(axis=0), places.max(axis=0)
    extent = max(float((high - low).max()), 1e-12)
    unit = (places - (low + high) / 2.0) / extent * 0.94 + 0.5
    number = _numbers_among_equals(members)
    radius = 0.004 * np.sqrt(number)
    spiral = np.stack([np.cos(number * GOLDEN_ANGLE), np.sin(number * GOLDEN_ANGLE)], axis=1)
    final = np.clip(unit[members] + radius[:, None] * spiral, 0.0, 1.0)
    return np.rint(final * SIDE).astype(int).ravel().tolist()


def _numbers_among_equals(members: IntArray) -> IntArray:
    """Return how many equal rows come before each row."""
    order = np.argsort(members, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(members))[:-1]])
    numbers = np.empty(len(members), dtype=np.intp)
    numbers[order] = np.arange(len(members)) - starts[members[order]]
    return numbers


def _neighbors(kinds: Kinds, columns: list[int]) -> list[list[list[Any]]]:
    """Return the nearest other kinds of each kind.

    Returns
    -------
    list of lists
        For each kind, for each neighbor: its kind, distance, similarity, and for the columns that
        add most to the similarity in turn: the column's number among those shown, what it adds to
        the similarity and what it adds to the squared distance.
    """
    n = min(N_NEIGHBORS, len(kinds) - 1)
    if n == 0:
        return [[] for _ in range(len(kinds))]
    distances = kinds.distances.copy()
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :n]
    left, right = np.repeat(np.arange(len(kinds)), n), nearest.ravel()
    similarity, apart = np.empty((2, len(left), len(columns)))
    for number, attribute in enumerate(columns):
        similarity[:, number], apart[:, number] = kinds.parts(attribute, left, right)
    order = np.lexsort((apart, -np.round(similarity, 9)), axis=1)
    # What sets two rows apart is as interesting as what they share.
    listed = [_reasons(line, apart[pair]) for pair, line in enumerate(order)]
    found = [
        [
            int(right[pair]),
            short(distances[left[pair], right[pair]]),
            short(kinds.similarities[left[pair], right[pair]]),
            [
                entry
                for column in listed[pair]
                for entry in (
                    int(column),
                    short(similarity[pair, column]),
                    short(apart[pair, column]),
                )
            ],
        ]
        for pair in range(len(left))
    ]
    return [found[start : start + n] for start in range(0, len(found), n)]


def _reasons(by_similarity: IntArray, apart: FloatArray) -> list[int]:
    """Return the columns that a pair is most alike in, and those that it differs in most."""
    by_difference = [int(column) for column in np.argsort(-apart, kind="stable") if apart[column]]
    half = by_difference[: N_REASONS // 2]
    alike = [int(column) for column in by_similarity if column not in half]
    return alike[: N_REASONS - len(half)] + half
