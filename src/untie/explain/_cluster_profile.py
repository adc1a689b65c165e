"""What makes a cluster, the values that are frequent in it and rare elsewhere, and a name of it."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import hypergeom

from untie._count.crosstab import Entries
from untie._inputs import as_fitted, read_clusters
from untie._table import frames
from untie._table.column_codes import value_text
from untie._table.intervals import ALL as ANY
from untie._table.intervals import phrase
from untie._table.table import read_table
from untie._util.types import AnyArray, FloatArray


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
    fitted = as_fitted(model)
    table = read_clusters(fitted.clustered(data, labels, sample_weight), fitted.ordered)
    scale = _rows_per_weight(table.weights)
    parts = [_column(entries, table.sizes, scale) for entries in table.entries]
    cluster, entry = (
        np.concatenate([part[name] for part in parts]) for name in ("cluster", "entry")
    )
    attribute = np.repeat(np.arange(len(parts)), [len(part["cluster"]) for part in parts])
    numbers = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("share", "share_elsewhere", "lift", "information", "p_value", "count")
    }
    numbers["p_value"] = holm(numbers["p_value"])
    order = np.lexsort((entry, attribute, -np.round(numbers["information"], 12), cluster))
    columns = {
        "cluster": [table.names[place] for place in cluster[order]],
        "column": [table.columns[place] for place in attribute[order]],
        "value": [table.entries[attribute[line]].names[entry[line]] for line in order],
        **{name: array[order] for name, array in numbers.items()},
    }
    return frames.make_frame(table.library, columns)


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


MOST_WORDS = 5
"""A name has at most this many words, unless its first value has more."""

MOST_PARTS = 3
"""A name is made of at most this many values."""

ENOUGH_WORDS = 3
"""A name with fewer words also says what is frequent in the cluster but not in half of it."""

HALF = 0.5
"""What at least this share of a cluster's rows have is said of it without a word of doubt."""

NEAR = 1 / 3
"""What half of the rows have makes a name only if the logarithm of its lift is at least this part
of that of what tells most: a little more frequent than elsewhere is no name."""

ROUNDING = 1e-9
"""Numbers that differ by less are the same."""

SURE = 0.05
"""Values with a larger corrected p-value make no name."""

LONGEST = 30
"""Values and columns are cut after this many characters."""

YES_NO = tuple(
    frozenset(pair) for pair in (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"))
)
NUMBERS = (frozenset("01"), frozenset(["0.0", "1.0"]))
"""Values that mean yes and no, unless the column's name says that they are codes."""

NO = frozenset(["no", "n", "false", "f", "0", "0.0"])
CODES = ("sex", "gender", "class", "type", "kind", "group", "level", "code", "category", "label")
"""Columns that end so have codes, not yes and no, where their values are 0 and 1."""

ADJECTIVES = ("ed", "ous", "able", "ible", "ive", "ful", "less", "borne", "ic")
"""Columns that end so are likely to be adjectives: "not married", but "no fever"."""

VAGUE = frozenset(
    re.findall(
        r"\w+",
        "all always any average bad big early good high large late left less little long low "
        "many medium middle missing more most negative never new none normal often old other "
        "others poor positive rare rarely right short small some sometimes unknown usual very ",
    )
)
"""Values that say nothing without the name of their column."""

RANGE = re.compile(r"\bup to \S+|\S+ to \S+")

ALL, NOTHING = "all rows", "much like all rows"

Lines = dict[str, list[Any]]


def cluster_names(model: Any, data: Any, *, labels: Any = None, sample_weight: Any = None) -> Any:
    """Return a name of three to five words for each cluster, all of them different.

    A name is made of the values that are most telling of a cluster, one per column: those that at
    least half of its rows have, unless others tell far more, and, where these are few, others that
    are "often" there. Of two clusters, one may be told by what it lacks ("not Rome"). A value that
    speaks for itself stands alone ("Rome"), others have their column ("legs 4", "age over 54"); of
    columns with yes and no the column is said ("fever", "no fever").

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
       cluster                      name
    0        0     wine, cork, glasses 3
    1        1  beer, no cork, glasses 8
    """
    found = cluster_profile(model, data, labels=labels, sample_weight=sample_weight)
    names = names_of(frames.columns_of(found))
    columns = {"cluster": list(names), "name": list(names.values())}
    return frames.make_frame(read_table(found).backend, columns)


def names_of(lines: Lines) -> dict[Any, str]:
    """Return the name of each cluster, from the lines of its profile."""
    clusters = list(dict.fromkeys(lines["cluster"]))
    if len(clusters) == 1:
        return {clusters[0]: ALL}
    parts = _parts(lines, clusters)
    names = _apart([_name(some) for some in parts], parts)
    counts = Counter(names)
    return {
        cluster: f"{name} ({cluster})" if counts[name] > 1 else name
        for name, cluster in zip(names, clusters, strict=True)
    }


@dataclass(frozen=True)
class _Telling:
    """What may be said of a cluster: its share of the rows there, and its lift."""

    column: str
    said: str
    share: float
    lift: float

    @property
    def bits(self) -> float:
        return float(np.log2(self.lift))

    @property
    def information(self) -> float:
        return self.share * self.bits


def _parts(lines: Lines, clusters: Sequence[Any]) -> list[list[tuple[str, bool]]]:
    """Return for each cluster what may be said of it, and whether half of its rows have it."""
    values: dict[str, set[str]] = {}
    for column, value in zip(lines["column"], lines["value"], strict=True):
        values.setdefault(column, set()).add(value_text(value).strip().lower())
    counts = Counter(value for known in values.values() for value in known)
    has: dict[Any, list[_Telling]] = {cluster: [] for cluster in clusters}
    lacks: dict[Any, list[_Telling]] = {cluster: [] for cluster in clusters}
    for cluster, column, value, share, elsewhere, lift, p in zip(*_needed(lines), strict=True):
        if lift <= 1 or p >= SURE:
            continue
        text, known = value_text(value), values[column]
        alone = counts[text.strip().lower()] == 1
        has[cluster].append(_Telling(column, _said(column, text, known, alone), share, lift))
        if len(clusters) == 2 and len(known) > 2:
            # What one of two has, the other lacks, and the chance of that is the same.
            other = clusters[1 - clusters.index(cluster)]
            lack = (1 - elsewhere) / (1 - share / lift)
            said = _said_not(column, text, known, alone)
            lacks[other].append(_Telling(column, said, 1 - elsewhere, lack))
    return [_chosen(has[cluster], lacks[cluster]) for cluster in clusters]


def _needed(lines: Lines) -> list[list[Any]]:
    names = ("cluster", "column", "value", "share", "share_elsewhere", "lift", "p_value")
    return [lines[name] for name in names]


def _chosen(has: list[_Telling], lacks: list[_Telling]) -> list[tuple[str, bool]]:
    """Return the best of each column, the most telling first, and whether half of the rows have it.

    What half have is better than what tells more, but for what tells far more; what the cluster
    lacks is said of a column in which it has nothing that tells as much.
    """
    if not has and not lacks:
        return []
    most = max([*has, *lacks], key=lambda telling: telling.information)
    least = NEAR * most.bits - ROUNDING
    common = [telling for telling in has if telling.share >= HALF and telling.bits >= least]
    best: dict[str, _Telling] = {}
    for telling in [*common, *has]:  # of each column the most telling one is first
        best.setdefault(telling.column, telling)
    for telling in lacks:
        own = best.get(telling.column)
        if own is None or (own not in common and telling.information > own.information):
            best[telling.column] = telling
    found = [telling for telling in best.values() if telling.share < HALF or telling.bits >= least]
    found.sort(key=lambda telling: -round(telling.information, 9))
    return [(telling.said, telling.share >= HALF) for telling in found]


def _said(column: str, value: str, known: set[str], is_only: bool) -> str:
    """Return a value in a few words.

    Examples
    --------
    >>> _said("fever", "no", {"yes", "no"}, True), _said("is_married", "no", {"yes", "no"}, True)
    ('no fever', 'not married')
    >>> _said("city", "Rome", {"rome", "bonn"}, True), _said("city", "Rome", {"rome"}, False)
    ('Rome', 'city Rome')
    >>> _said("age", "over 54", {"over 54"}, True), _said("income", "high", {"high"}, True)
    ('age over 54', 'income high')
    """
    word = value.strip().lower()
    if _is_yes_or_no(column, known - {"missing"}) and word != "missing":
        return _yes_or_no(_cut(column), word in NO)
    if not word or value == ANY:  # of numbers of which others are missing
        return f"{_cut(column)} {'known' if word else 'blank'}"
    is_range = _is_range(value) or " to " in word
    speaks = re.search(r"[^\W\d_]{3}", word) and word not in VAGUE
    if speaks and is_only and not is_range:
        return _cut(value)
    return phrase(_cut(column), _cut(value), " ")


def _said_not(column: str, value: str, known: set[str], is_only: bool) -> str:
    """Return in a few words that a value is not there.

    Examples
    --------
    >>> _said_not("city", "Rome", {"rome", "bonn"}, True), _said_not("size", "4", {"4"}, True)
    ('not Rome', 'size not 4')
    >>> _said_not("age", "missing", {"missing"}, True)
    'age known'
    """
    if value.strip().lower() == "missing":
        return f"{_cut(column)} known"
    is_alone = _said(column, value, known, is_only) == _cut(value)
    return f"not {_cut(value)}" if is_alone else f"{_cut(column)} not {_cut(value) or 'blank'}"


def _is_range(value: str) -> bool:
    return not phrase("", value, "=").startswith("=")


def _is_yes_or_no(column: str, known: set[str]) -> bool:
    return known in YES_NO or (known in NUMBERS and not column.lower().endswith(CODES))


def _yes_or_no(column: str, is_no: bool) -> str:
    kind, _, rest = column.replace(" ", "_").partition("_")
    name = column[len(kind) + 1 :] if kind.lower() in ("is", "has") and rest else column
    if not is_no:
        return name
    has = kind.lower() == "has" and rest
    is_adjective = (kind.lower() == "is" and rest) or name.lower().endswith(ADJECTIVES)
    return f"{'not' if is_adjective and not has else 'no'} {name}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _apart(names: list[str], parts: Sequence[Sequence[tuple[str, bool]]]) -> list[str]:
    """Return names in which those that were the same say what the others of their kind lack."""
    result = list(names)
    for name in {name for name, n in Counter(names).items() if n > 1}:
        places = [place for place, other in enumerate(names) if other == name]
        for place in places:
            others = {part for other in places if other != place for part in parts[other]}
            own = [part for part in parts[place] if part not in others]
            shared = [part for part in parts[place] if part in others]
            if own:
                result[place] = _fitted([*shared[:1], *own, *shared[1:]])
    return result


def _name(parts: Sequence[tuple[str, bool]]) -> str:
    """Return a name of what half of the rows have and, if that is little, of what others have."""
    common = [part for part in parts if part[1]]
    if _n_words([_doubted(part) for part in common[:MOST_PARTS]]) < ENOUGH_WORDS:
        common += [part for part in parts if not part[1]]
    return _fitted(common) or NOTHING


def _fitted(parts: Sequence[tuple[str, bool]]) -> str:
    """Return the first parts, and of the next those that a name has room for."""
    chosen: list[str] = []
    for part in parts:
        said = _doubted(part)
        has_room = len(chosen) < MOST_PARTS and _n_words([*chosen, said]) <= MOST_WORDS
        if not chosen or has_room:
            chosen.append(said)
    return ", ".join(chosen)


def _doubted(part: tuple[str, bool]) -> str:
    return part[0] if part[1] else f"often {part[0]}"


def _n_words(parts: Sequence[str]) -> int:
    """Return how many words parts have; "54 to 60" and "up to 54" are read as fast as two.

    Examples
    --------
    >>> _n_words(["age 54 to 60", "no fever"]), _n_words(["age up to 54"]), _n_words(["cyl 8"])
    (5, 3, 2)
    """
    return sum(len(RANGE.sub("from to", part).split()) for part in parts)
