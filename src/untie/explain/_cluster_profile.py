"""What makes a cluster, the values that are frequent in it and rare elsewhere, and a name of it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import hypergeom

from untie._count.crosstab import Entries
from untie._inputs import ClusteredTable, as_fitted, read_clusters
from untie._learn.selection.k_choice import is_few
from untie._prepare.rules import NOT_PICKED, PICKED
from untie._table import frames
from untie._table.intervals import ALL as ANY
from untie._table.orders import end_texts
from untie._util.types import AnyArray, FloatArray
from untie.preparer import merged_values


def holm(p_values: FloatArray) -> FloatArray:
    """Correct p-values by Holm's method: the chance of one false finding among all.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.02]))
    array([0.03, 0.04, 0.04])
    """
    order = np.argsort(p_values, kind="stable")
    n_left = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.maximum.accumulate(np.minimum(p_values[order] * n_left, 1.0))
    return corrected


def cluster_profile(model: Any, data: Any, *, labels: Any = None, sample_weight: Any = None) -> Any:
    """Return how much more frequent each value is in a cluster than elsewhere.

    The columns are those that the model has learned from, prepared as it prepares them. A column
    with an order, such as the ranges that `Preparer` makes of numbers, has one line per
    cluster: the run of neighboring values whose share in the cluster is the most above that
    elsewhere, such as "up to 25", "26 to 40" or "over 40". Missing cells have a line of their own.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at. Whole
        numbers are taken for numbers of equal rows; others are weights of a survey, for which the
        test counts (sum w)^2 / sum w^2 rows: as many as have the same accuracy unweighted, rounded.

    Returns
    -------
    frame
        One row per cluster and value that occurs in it, or run of values, for each cluster the most
        telling first:

        - cluster, column, value;
        - share of the cluster's rows that have the value, share_elsewhere of the other rows;
        - lift: share divided by the share in the whole table;
        - information: share x log2(lift), bits; the rows are sorted by it, as a value
          tells much of a cluster only if it is frequent there and rare elsewhere;
        - p_value: the chance of a count at least as high if labels and values were independent (the
          hypergeometric distribution: Fisher's exact test, one-sided), corrected by Holm's method
          for all rows, and by Bonferroni's for all runs of a column with an order, and so valid
          for all of them at once. It takes the clusters as given; clusters that were made of these
          very columns differ in them by construction, so it says which differences are no noise,
          not that the clusters exist;
        - count: weight of the cluster's rows that have the value.

    See Also
    --------
    cluster_names : A name of a few words for each cluster.
    untie.plot.cluster_profiles : Draws the most telling values.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import cluster_profile
    >>> rows = [["red", "wine"]] * 4 + [["white", "wine"]] * 2 + [["brown", "beer"]] * 4
    >>> profile = cluster_profile(TableEncoder(2).fit(rows), rows, labels=[1] * 6 + [0] * 4)
    >>> profile[["cluster", "value", "share", "share_elsewhere", "lift", "count"]].round(2)
       cluster  value  share  share_elsewhere  lift  count
    0        0  brown   1.00              0.0  2.50    4.0
    1        0   beer   1.00              0.0  2.50    4.0
    2        1   wine   1.00              0.0  1.67    6.0
    3        1    red   0.67              0.0  1.67    4.0
    4        1  white   0.33              0.0  1.67    2.0
    """
    found = read_profile(model, data, labels=labels, sample_weight=sample_weight)
    return frames.make_frame(found.table.library, found.columns)


@dataclass(frozen=True, eq=False)
class Profile:
    """What makes clusters: counts of values and runs of values, and what they tell.

    Parameters
    ----------
    table : ClusteredTable
        How often the rows of each cluster have what.
    lines : dict of arrays of shape (n_lines,)
        The lines of `cluster_profile`: numbers of cluster, attribute and entry, and figures.
    """

    table: ClusteredTable
    lines: dict[str, AnyArray]

    @property
    def columns(self) -> dict[str, list[Any] | AnyArray]:
        """The columns of `cluster_profile`."""
        table, lines = self.table, self.lines
        places = list(zip(lines["attribute"], lines["entry"], strict=True))
        return {
            "cluster": [table.names[cluster] for cluster in lines["cluster"]],
            "column": [table.columns[attribute] for attribute, _ in places],
            "value": [table.entries[attribute].names[entry] for attribute, entry in places],
            **{name: lines[name] for name in FIGURES},
        }


FIGURES = ("share", "share_elsewhere", "lift", "information", "p_value", "count")


def read_profile(
    model: Any, data: Any, *, labels: Any = None, sample_weight: Any = None
) -> Profile:
    """Return what makes each cluster; see `cluster_profile`."""
    fitted = as_fitted(model, data)
    table = read_clusters(fitted.clustered(data, labels, sample_weight), fitted.ordered)
    scale = _rows_per_weight(table.weights)
    parts = [_column(entries, table.sizes, scale) for entries in table.entries]
    lines = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("cluster", "entry", *FIGURES)
    }
    lines["attribute"] = np.repeat(np.arange(len(parts)), [len(part["entry"]) for part in parts])
    lines = _told_once(lines, table, fitted.encoder._grouping.neutral_in)
    lines["p_value"] = holm(lines["p_value"])
    keys = (lines["entry"], lines["attribute"], -np.round(lines["information"], 12))
    order = np.lexsort((*keys, lines["cluster"]))
    return Profile(table, {name: array[order] for name, array in lines.items()})


def _told_once(
    lines: dict[str, AnyArray], table: ClusteredTable, neutral: Collection[str]
) -> dict[str, AnyArray]:
    """Leave out missing cells of columns in which they say what another column does."""
    if not neutral:
        return lines
    is_missing = [
        [name in neutral and text == MISSING for text in entries.names]
        for name, entries in zip(table.columns, table.entries, strict=True)
    ]
    pairs = zip(lines["attribute"].tolist(), lines["entry"].tolist(), strict=True)
    kept = np.array([not is_missing[attribute][entry] for attribute, entry in pairs], dtype=bool)
    return {name: array[kept] for name, array in lines.items()}


def _column(entries: Entries, sizes: FloatArray, rows_per_weight: float) -> dict[str, AnyArray]:
    """Return the lines of one column: what is said of which cluster, and how often it is there."""
    cluster, entry = np.nonzero(entries.own)
    inside, of_entry, n = sizes[cluster], entries.counts.sum(axis=0)[entry], sizes.sum()
    count = entries.counts[cluster, entry]
    rest = n - inside
    elsewhere = np.divide(of_entry - count, rest, out=np.zeros_like(rest), where=rest > 0)
    lift = (count / inside) / (of_entry / n)
    # A run was chosen from many by what is to be tested, so its chance counts as often.
    chance = _chance(*(np.rint(w * rows_per_weight) for w in (count, inside, of_entry, n)))
    return {
        "cluster": cluster,
        "entry": entry,
        "share": count / inside,
        "share_elsewhere": np.maximum(elsewhere, 0.0),
        "lift": lift,
        "information": count / inside * np.log2(lift),
        "p_value": np.minimum(chance * entries.n_tried[entry], 1.0),
        "count": count,
    }


def _rows_per_weight(weights: FloatArray) -> float:
    """Return how many rows the test counts for a weight of 1."""
    if (weights == np.rint(weights)).all():
        return 1.0
    return float(weights.sum() / np.square(weights).sum())


def _chance(
    count: FloatArray, inside: FloatArray, of_value: FloatArray, n: FloatArray
) -> FloatArray:
    """Return the chance of at least `count` rows with the value among those of the cluster."""
    # Rounded weights may be out of step by one row.
    n = np.maximum(n, np.maximum(inside, of_value))
    least = np.maximum(inside + of_value - n, 0.0)
    count = np.clip(count, least, np.minimum(inside, of_value))
    chance = hypergeom.sf(count - 1, n, of_value, inside)
    return np.clip(np.asarray(chance), 0.0, 1.0)


MOST_PARTS, ENOUGH_PARTS = 3, 2
"""A name has at most so many values; one with fewer than enough also has rarer ones."""

LONGEST_NAME = 80
"""A name has at most this many characters, unless its first value has more."""

PLAIN = 0.8
"""What fewer of a cluster's rows have is said of it with their share. What at least as many rows
of another cluster have, too, is said of it only to set it apart from a third."""

HALF = 0.5
"""What fewer of a cluster's rows have is said of it only if there is hardly anything else."""

NEAR = 1 / 3
"""What half of the rows have makes a name only if the logarithm of its lift is at least this part
of that of what tells most, or it sets the cluster far apart from another one; and what fewer have
only if it tells at least this part as much."""

MUCH = 0.4
"""What sets a cluster far apart from another one does so by at least so many bits: what all rows
have and half of the others is 0.42. What a third one has, too, makes a name only then."""

COLOR = 0.1
"""Part of what a value tells that counts even if others of the name tell the clusters apart."""

ROUNDING = 1e-9
"""Numbers that differ by less are the same."""

SURE = 0.05
"""Values with a larger corrected p-value make no name."""

LONGEST = 30
"""Values and columns are cut to this many characters, where they stay different."""

ALL, NOTHING = "all rows", "much like all rows"

MISSING = "missing"


def cluster_names(model: Any, data: Any, *, labels: Any = None, sample_weight: Any = None) -> Any:
    """Return a name of up to three values for each cluster, all of them different.

    Each value has its column: "city: Rome; fever: no; age: over 54". Most telling are values that
    few rows of any other cluster have; one that most rows of another cluster have, too, is named
    only where it sets the cluster apart from a third. At least 80% of the cluster's rows have the
    value, or their share is said: "city: Rome (64%)". What fewer than half have makes a name only
    if there is hardly anything else. Of two clusters, one may be told by what it lacks ("city: not
    Rome"). Rare values that `Preparer` merged make no name.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at.

    Returns
    -------
    frame
        cluster and name, in the order of the clusters.

    See Also
    --------
    cluster_profile : Tells what makes each cluster, with figures.

    Examples
    --------
    >>> import pandas as pd
    >>> from untie import TableEncoder
    >>> from untie.explain import cluster_names
    >>> rows = [["wine", "yes", 3]] * 20 + [["beer", "no", 8]] * 20
    >>> table = pd.DataFrame(rows, columns=["drink", "cork", "glasses"])
    >>> cluster_names(TableEncoder(2).fit(table), table, labels=[0] * 20 + [1] * 20)
       cluster                                name
    0        0  drink: wine; cork: yes; glasses: 3
    1        1   drink: beer; cork: no; glasses: 8
    """
    found = read_profile(model, data, labels=labels, sample_weight=sample_weight)
    preparer = as_fitted(model).preparer
    names = names_of(found, {} if preparer is None else merged_values(preparer))
    columns = {"cluster": list(names), "name": list(names.values())}
    return frames.make_frame(found.table.library, columns)


def names_of(profile: Profile, merged: Mapping[str, str]) -> dict[Any, str]:
    """Return the name of each cluster.

    Parameters
    ----------
    profile : Profile
        What makes the clusters.
    merged : mapping of str to str
        By column, what rare values were merged to, which names no cluster.
    """
    table = profile.table
    there = np.flatnonzero(table.sizes > 0).tolist()
    if len(there) == 1:
        return {table.names[there[0]]: ALL}
    names = [_name(part) for part in _parts(profile, there, merged)]
    counts = Counter(names)
    return {
        table.names[place]: f"{name} ({table.names[place]})" if counts[name] > 1 else name
        for name, place in zip(names, there, strict=True)
    }


@dataclass(frozen=True, eq=False)
class _Part:
    """What may be said of a cluster.

    Parameters
    ----------
    column : int
        Its attribute.
    text : str
        The words.
    share : float
        Share of the cluster's rows of which it is true.
    bits : float
        Logarithm of its lift.
    apart : array of shape (n_other_clusters,)
        How far it sets the cluster apart from each other one, from 0 to 1.
    is_shared : bool
        Whether it could be said of another cluster without its share.
    """

    column: int
    text: str
    share: float
    bits: float
    apart: FloatArray
    is_shared: bool

    @property
    def information(self) -> float:
        return float(np.round(self.apart.mean(), 9))

    @property
    def said(self) -> str:
        return self.text if self.share >= PLAIN else f"{self.text} ({self.share:.0%})"


def _parts(profile: Profile, there: list[int], merged: Mapping[str, str]) -> list[list[_Part]]:
    """Return what may be said of each cluster, the most telling first."""
    table, lines = profile.table, profile.lines
    columns = _short({name: name if name.strip() else repr(name) for name in table.columns})
    values = [_short(_plain(entries.names)) for entries in table.entries]
    has: dict[int, list[_Part]] = {place: [] for place in there}
    lacks: dict[int, list[_Part]] = {place: [] for place in there}
    is_sure = (lines["lift"] > 1) & (lines["p_value"] < SURE)
    figures = (lines[name][is_sure].tolist() for name in ("cluster", "attribute", "entry"))
    others = {place: _others(table, there, place) for place in there}
    for cluster, attribute, entry in zip(*figures, strict=True):
        entries, column = table.entries[attribute], table.columns[attribute]
        value = entries.names[entry]
        if value == merged.get(column):
            continue
        names = columns[column], values[attribute][value]
        shares = entries.counts[:, entry] / np.where(table.sizes > 0, table.sizes, 1.0)
        usual = float(entries.counts[:, entry].sum() / table.sizes.sum())
        own = shares[cluster], shares[others[cluster]]
        has[cluster].append(_part(attribute, _said(*names), *own, usual))
        is_single = entries.n_tried[entry] == 1 and value not in (PICKED, NOT_PICKED)
        if len(there) == 2 and len(entries.names) > 2 and is_single:
            # What one of two has, the other lacks, and the chance of that is the same.
            other = there[1 - there.index(cluster)]
            lack = 1 - shares[other], 1 - shares[others[other]]
            said = _said(*names, is_not=True)
            lacks[other].append(_part(attribute, said, *lack, 1 - usual))
    return [_able(has[place], lacks[place]) for place in there]


def _others(table: ClusteredTable, there: list[int], place: int) -> list[int]:
    """Return the clusters that one is to be set apart from: those that are groups, if any are."""
    n_rows = table.sizes * _rows_per_weight(table.weights)
    others = [other for other in there if other != place]
    return [other for other in others if not is_few(n_rows[other], n_rows.sum())] or others


def _part(column: int, text: str, share: float, others: FloatArray, usual: float) -> _Part:
    """Return what may be said of a cluster, from the shares of its rows, others' and all rows."""
    apart = np.maximum(share * np.log2(2 * share / (share + others)), 0.0)
    is_shared = bool((others >= PLAIN).any())
    return _Part(column, text, float(share), float(np.log2(share / usual)), apart, is_shared)


def _able(has: list[_Part], lacks: list[_Part]) -> list[_Part]:
    """Return what tells enough, the most telling first.

    What the cluster lacks is said of columns of which there is nothing that half of its rows have.
    """
    if not has and not lacks:
        return []
    most = max([*has, *lacks], key=lambda part: part.information)
    able = [part for part in has if _is_near(part, most)]
    known = {part.column for part in able if part.share >= HALF}
    able += [part for part in lacks if part.column not in known and _is_near(part, most)]
    return sorted(able, key=lambda part: -part.information)


def _is_near(part: _Part, most: _Part) -> bool:
    if part.share >= HALF:
        return part.bits >= NEAR * most.bits - ROUNDING or bool(part.apart.max() >= MUCH)
    return part.information >= NEAR * most.information - ROUNDING


def _name(parts: Sequence[_Part]) -> str:
    """Return a name of the parts that together set a cluster apart from each other one.

    What half of the rows have comes first.
    """
    chosen: list[_Part] = []
    for is_common, most in ((True, MOST_PARTS), (False, ENOUGH_PARTS)):
        pool = [part for part in parts if (part.share >= HALF) == is_common]
        while len(chosen) < most and (part := _next(pool, chosen)) is not None:
            chosen.append(part)
    return _joined(chosen) or NOTHING


def _next(pool: Iterable[_Part], chosen: list[_Part]) -> _Part | None:
    """Return what to add to a name: what tells most that its other parts do not."""
    covered = np.max([part.apart for part in chosen], axis=0) if chosen else 0.0
    best, most = None, 0.0
    for part in pool:
        more = np.maximum(part.apart - covered, 0.0)
        score = round(float(more.mean()) + COLOR * part.information, 9)
        if part.is_shared:
            score = round(float(more.mean()) / 2, 9) if more.max() >= MUCH else 0.0
        is_new = all(part.column != other.column for other in chosen)
        has_room = not chosen or len(_joined([*chosen, part])) <= LONGEST_NAME
        if score > most and is_new and has_room:
            best, most = part, score
    return best


def _joined(parts: Iterable[_Part]) -> str:
    return "; ".join(part.said for part in parts)


def _said(column: str, value: str, is_not: bool = False) -> str:
    """Return that a column has a value, or not, so that it cannot be misread.

    Examples
    --------
    >>> _said("fever", "no"), _said("city", "Rome", is_not=True), _said("age", "missing", True)
    ('fever: no', 'city: not Rome', 'age: known')
    >>> _said("size", "2.5 to 14110000"), _said("size", "any range"), _said("name", "")
    ('size: 2.5 to 14,110,000', 'size: known', 'name: blank')
    >>> _said("note", "a; b"), _said("x; y", "not 3"), _said("x", "up to -55400")
    ('note: "a; b"', '"x; y": "not 3"', 'x: up to -55,400')
    >>> _said("uses: bus", "picked")
    'uses: bus picked'
    """
    column = f'"{column}"' if ";" in column else column
    if value == ANY or (is_not and value == MISSING):  # of numbers of which others are missing
        return f"{column}: known"
    if value in (PICKED, NOT_PICKED):
        return f"{column} {value}"
    if _is_range(value):
        whole = r"(?<![\d.,])(?<!\d-)\d{5,}"
        value = re.sub(whole, lambda digits: f"{int(digits[0]):,}", value)
    elif ";" in value or value.startswith("not "):
        value = f'"{value}"'
    return f"{column}: {'not ' if is_not else ''}{value or 'blank'}"


def _is_range(value: str) -> bool:
    ends = end_texts(value)
    return ends is not None and ends[0] != ends[1]


def _plain(values: Sequence[str]) -> dict[str, str]:
    """Return values without the ".0" of whole numbers, where all are numbers or ranges of them.

    Examples
    --------
    >>> _plain(["1.0", "2.0", "missing"]), _plain(["1.0", "1"]), _plain(["1.0 to 3.0", "4.5"])
    ({'1.0': '1', '2.0': '2', 'missing': 'missing'}, {'1.0': '1.0', '1': '1'}, \
{'1.0 to 3.0': '1 to 3', '4.5': '4.5'})
    """
    same = {value: value for value in values}
    if any(value != MISSING and end_texts(value) is None for value in values):
        return same
    plain = {value: re.sub(r"(?<=\d)\.0\b", "", value) for value in values}
    return plain if len(set(plain.values())) == len(plain) else same


def _short(texts: Mapping[str, str]) -> dict[str, str]:
    """Return texts as one line each, cut where they stay different.

    Examples
    --------
    >>> names = [f"How often do you feel {word}, if ever?" for word in ("anxious", "alone")]
    >>> list(_short({name: name for name in [*names, "age"]}).values())
    ['How often do you feel anxious…', 'How often do you feel alone, …', 'age']
    >>> names = [f"How often in the last two years did you {word}?" for word in ("eat", "run")]
    >>> list(_short({name: name for name in names}).values())
    ['How often i…years did you eat?', 'How often i…years did you run?']
    """
    lines = {text: " ".join(said.split()) for text, said in texts.items()}
    if len(set(lines.values())) < len(set(texts.values())):  # only blanks tell some apart
        lines = {text: repr(said) for text, said in texts.items()}
    result = {line: line for line in lines.values()}
    for head, tail in ((LONGEST - 1, 0), (LONGEST - 19, 18)):
        long = [line for line, short in result.items() if len(short) > LONGEST]
        cut = [f"{line[:head]}\N{HORIZONTAL ELLIPSIS}{line[len(line) - tail :]}" for line in long]
        counts = Counter(cut)
        result |= {line: s for line, s in zip(long, cut, strict=True) if counts[s] == 1}
    return {text: result[line] for text, line in lines.items()}
