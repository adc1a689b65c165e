"""What a file holds of each estimator: one description writes, checks and reads it.

A new part of an object is a new line here. Parts have the names of the attributes they come from.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from operator import attrgetter, itemgetter
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.row_sample import RowSample
from untie._learn.clustering.lloyd import ClusterRadius
from untie._learn.clustering.points import AXES, VECTORS
from untie._learn.columns.attributes import ColumnView
from untie._learn.fitting import Fitted
from untie._learn.selection.k_choice import KChoice
from untie._learn.vectors import LookUp
from untie._learn.weights.weightings import Solution
from untie._persistence.container import Saved, read_file, refusing, write_file
from untie._persistence.schema import (
    Codec,
    Field,
    Place,
    a_text,
    a_truth,
    checked,
    each,
    either,
    joined,
    many,
    mapping,
    maybe,
    number,
    numbers,
    of_type,
    one_of,
    record,
    whole,
)
from untie._persistence.self_check import (
    VERSIONS,
    check_codec,
    deviations,
    make_checks,
    versions,
)
from untie._persistence.values import cells, from_plain, to_plain
from untie._prepare import note, rules, summary_rows
from untie._prepare import numbers as writings
from untie._prepare.preparation import Preparation
from untie._table.vocabulary import Vocabulary
from untie._util.about import VERSION
from untie._util.messages import listed, warn_user

LIBRARIES = (
    *("pandas", "polars", "pyarrow", "modin", "cudf"),
    *("dask", "duckdb", "ibis", "pyspark", "pyspark[connect]", "sqlframe"),
)
"""The libraries that a table may be of."""

ROUNDING = 1 + 1e-6
"""Sums of weights may differ by so much, by the order in which they were added up."""

LARGEST = 1e150
"""No vector has numbers beyond; their squares, and sums of them, are finite."""

CHECK = "check"
"""The part of a file that has what the model answered where it was saved."""

KINDS: dict[str, type[Savable]] = {}
"""The estimators that a file can hold, by their names in it; each enters itself."""


class Savable:
    """Base of estimators that can be saved.

    A subclass names itself in files by `_kind`; `LEARNED` has what they hold of it.
    """

    _kind: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "_kind" in vars(cls):
            KINDS[cls._kind] = cls

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimator to one file, without pickle; `load_model` reads it.

        The file is replaced as a whole or not at all.

        Parameters
        ----------
        path : path
            The file to write; its folder must exist.

        Raises
        ------
        ValueError
            When a parameter can't be written without pickle, such as a function.

        See Also
        --------
        load_model : Reads it.
        save_model : Writes pipelines, too.
        """
        write_model(path, self)

    def _check_parameters(self) -> Any:
        """Refuse parameters that `fit` would refuse."""
        raise NotImplementedError

    def _restore(self, learned: dict[str, Any]) -> None:
        """Take attributes that were saved; a subclass makes those that follow from them."""
        vars(self).update(learned)


@dataclass(frozen=True)
class Loaded:
    """A model and what its file says of itself.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted.
    number : int
        The format that the file was written in.
    versions : dict of str to str
        The versions of untie, Python and the libraries that the model was saved with.
    deviations : list of str
        How its answers here differ from those where it was saved.
    """

    model: Any
    number: int
    versions: dict[str, str]
    deviations: list[str]

    def warn(self, path: str | os.PathLike[str]) -> None:
        """Warn if the model gives different answers than where it was saved."""
        if not self.deviations:
            return
        here = {"untie": VERSION, **versions()}
        other = [
            f"{name} {self.versions[name]}, here {own}"
            for name, own in here.items()
            if self.versions.get(name, own) != own
        ]
        with_what = f" It was saved with {listed(other)}." if other else ""
        warn_user(
            f"The model in {str(path)!r} gives different answers here than where it was saved: in "
            f"its self-check, {'; '.join(self.deviations)}.{with_what} Fit it again, or load it "
            "with the versions that it was saved with."
        )


def write_model(path: str | os.PathLike[str], model: Any) -> None:
    """Write a fitted estimator or a pipeline of them, and what it answers to a few rows."""
    at = Place("", {})
    content = {"versions": VERSIONS.write(versions(), at), **_any_model().write(model, at)}
    content[CHECK] = check_codec(model).write(make_checks(model), at / CHECK)
    write_file(path, content, at.arrays)


def read_model(path: str | os.PathLike[str]) -> Loaded:
    """Undo `write_model`, or say what is wrong with the file."""
    return _loaded(path, read_file(path))


def upgrade_file(path: str | os.PathLike[str], output: str | os.PathLike[str]) -> Loaded:
    """Write a file anew in the present format, once it was read whole.

    The check is that of the old file: what the model answered where it was saved.
    """
    saved = read_file(path)
    found = _loaded(path, replace(saved, content={**saved.content}, arrays={**saved.arrays}))
    write_file(output, saved.content, saved.arrays, saved.version)
    return found


def _loaded(path: str | os.PathLike[str], saved: Saved) -> Loaded:
    """Check what a file holds and make a model of it; takes its parts out."""
    content, arrays = saved.content, saved.arrays
    with refusing(path):
        of_versions = VERSIONS.read(content.pop("versions", None), Place("versions", {}))
        check = content.pop(CHECK, None)
        model = _any_model().read(content, Place("", arrays))
        asked = check_codec(model).read(check, Place(CHECK, arrays))
        if arrays:
            raise ValueError(f"the array {next(iter(arrays))!r} is no part of a model")
        odd = deviations(model, asked)
    return Loaded(model, saved.number, {"untie": saved.version, **of_versions}, odd)


_texts = many(a_text, distinct=True)


# How the number of clusters was chosen.

K_CHOICE = record(
    KChoice,
    {"'k' is not among 'ks'": lambda c: c.k in c.ks},
    k=whole(1),
    ks=many(whole(1), least=1),
    **dict.fromkeys(
        ("gain", "error", "stability", "silhouette"),
        lambda c: numbers((len(c.ks),), finite=False),
    ),
    n_splits=lambda c: numbers((len(c.ks),), "iu", least=0),
    columns=many(a_text),
    **dict.fromkeys(("tells", "tells_error"), lambda c: numbers((len(c.columns),), finite=False)),
    without=number(finite=False),
    without_error=number(finite=False),
    without_columns=many(a_text),
    repeats=maybe(a_text),
    n_sampled=whole(),
    made_of=one_of(VECTORS, AXES),
    tried=many(one_of(VECTORS, AXES), least=1),
    library=one_of(*LIBRARIES),
)


# What an encoder learns.


def _counts(sizes: tuple[int, ...]) -> Codec:
    n_values = sum(sizes)

    def fit(c: Any) -> bool:
        columns = np.split(c.matrix.diagonal(), np.cumsum(sizes)[:-1])
        return all(own.sum() <= c.n * ROUNDING for own in columns)

    def matrix(c: Any) -> Codec:
        most = c.n * ROUNDING
        return numbers((n_values, n_values), "iuf", least=0, most=most, may_be_sparse=True)

    return record(
        partial(Counts, sizes),
        {"a column has more rows than there are": fit},
        n=number(0),
        n_rows=whole(),
        matrix=matrix,
    )


def _sample(n_columns: int) -> Codec:
    return record(
        RowSample,
        {"rows are out of order": lambda c: bool((c.numbers[1:] > c.numbers[:-1]).all())},
        numbers=numbers((None,), "u"),
        codes=lambda c: numbers((len(c.numbers), n_columns), "iu", least=0),
        weights=lambda c: numbers((len(c.numbers),), "iuf", least=0),
    )


def _ungrouped(model: Any) -> Codec:
    """Return the codec of the counts of all values seen; a file holds no counts twice."""
    raw, of_model = model.grouping.raw, model.counts

    def make(counts: Counts | None, sample: RowSample | None) -> CountedTable:
        found = of_model if counts is None else counts
        if sample is not None:
            sample.check(raw.sizes, found.frequencies)
        return CountedTable(raw, found, sample)

    def are_of_the_table(c: Any) -> bool:
        if c.counts is None:
            return bool(raw.sizes == of_model.sizes)
        return (c.counts.n, c.counts.n_rows) == (of_model.n, of_model.n_rows)

    return record(
        make,
        {"the counts are of another table": are_of_the_table},
        counts=Field(
            maybe(_counts(raw.sizes)),
            lambda table: None if table.counts is of_model else table.counts,
        ),
        sample=maybe(_sample(len(raw.columns))),
    )


def _tables(model: Any) -> Codec:
    """Return the codec of a vector for each value of each column, and one for unknown ones."""
    table = partial(numbers, least=-LARGEST, most=LARGEST, may_be_sparse=True)
    return each([table((size + 1, None)) for size in model.counts.sizes])


def _have_named_columns(model: Any) -> bool:
    """Return whether vectors have the columns that they have names for."""
    has_own = any(not isinstance(table, np.ndarray) for table in model.vectors)
    for size, table, factor, widths, error in zip(
        model.counts.sizes,
        model.vectors,
        model.factors.tolist(),
        model.widths,
        model.errors,
        strict=True,
    ):
        is_learned = factor and any(widths)  # a copy of another column is not
        own = size if is_learned and (has_own or error is None) else 0
        if table.shape[1] < own or (table.shape[1] > own and error is None):
            return False
    return True


def _lookup_has_named_columns(model: Any) -> bool:
    """Return whether what `transform` returns has the columns that it has names for."""
    if model.lookup is None:
        return True
    if model.lookup.summed:
        return len(set(model.lookup.widths)) == 1
    return bool(model.lookup.widths == [sum(widths) for widths in model.widths])


def _have_no_gaps(model: Any) -> bool:
    """Return whether the places in every order are 0, 1, 2, ... without a gap."""
    found = (np.unique(order[order >= 0]) for order in model.orders if order is not None)
    return all((places == np.arange(len(places))).all() for places in found)


def _make_fitted(**parts: Any) -> Fitted:
    c = SimpleNamespace(**parts)
    if c.ungrouped is not None:
        known = c.ungrouped.counts.with_draws(c.ungrouped.sample)
        is_same = c.ungrouped.counts is c.counts
        c.counts = known if is_same else replace(c.counts, draws=known.draws)
        c.ungrouped = replace(c.ungrouped, counts=known)
    c.vectors = LookUp(c.vectors)
    c.lookup = c.vectors if c.lookup is None else c.lookup
    c.errors = {place: error for place, error in enumerate(c.errors) if error is not None}
    c.columns = ColumnView(c.counts, c.orders, c.factors, missing=c.grouping.vocabulary.missing)
    del c.counts, c.orders, c.factors
    return Fitted(**vars(c))


def _vocabulary(least: int = 1) -> Codec:
    """Return the codec of the values of at least so many columns."""
    return record(
        Vocabulary,
        columns=many(a_text, least=least, distinct=True),
        values=lambda c: each([cells(column) for column in c.columns]),
    )


GROUPING = record(
    Grouping,
    {
        "a missing cell that is no value is merged": lambda c: (
            not any(map(np.any, map(np.logical_and, c.rare, Grouping(**vars(c)).neutral)))
        )
    },
    raw=_vocabulary(),
    rare=lambda c: joined(c.raw.sizes),
    missing_is_value=a_truth,
    neutral_in=many(a_text, distinct=True, make=frozenset),
)

MODEL = record(
    _make_fitted,
    {
        "vectors are not as long as their names are many": _have_named_columns,
        "the vectors of transform have other columns than names": _lookup_has_named_columns,
        "the places of an order have gaps": _have_no_gaps,
    },
    grouping=GROUPING,
    counts=lambda c: _counts(c.grouping.vocabulary.sizes),
    ungrouped=lambda c: maybe(_ungrouped(c)),
    labels=many(each([a_text, a_text])),
    widths=lambda c: each([each([whole()] * len(c.labels))] * len(c.counts.sizes)),
    solution=lambda c: record(
        Solution,
        omega=numbers((sum(map(sum, c.widths)),), least=0),
        loss_curve=many(number(finite=False), make=list),
        n_iter=whole(),
        converged=a_truth,
    ),
    n_clusters=whole(1),
    gains=mapping(number()),
    factors=lambda c: numbers((len(c.counts.sizes),), least=0),
    errors=Field(
        lambda c: each([maybe(numbers((len(c.labels),)))] * len(c.counts.sizes)),
        lambda fitted: [fitted.errors.get(n) for n in range(len(fitted.counts.sizes))],
    ),
    orders=Field(
        lambda c: each([maybe(numbers((n,), "i", least=-1, most=n - 1)) for n in c.counts.sizes]),
        lambda fitted: fitted.orders or (None,) * len(fitted.counts.sizes),
    ),
    vectors=Field(_tables, attrgetter("vectors.tables")),
    lookup=Field(
        lambda c: maybe(record(LookUp, tables=_tables(c), summed=a_truth)),
        lambda fitted: None if fitted.lookup is fitted.vectors else fitted.lookup,
    ),
    k_choice=maybe(K_CHOICE),
)


# What prepares columns.

_ONE_MARK = {
    "marks of numbers that are none": lambda c: len(c.decimal) == 1 and len(c.thousands) <= 1
}

READING = record(
    rules.Reading,
    missing=_texts,
    writing=maybe(
        either(
            numbers=record(
                writings.NumberWriting,
                _ONE_MARK,
                **dict.fromkeys(("decimal", "thousands", "before", "after"), a_text),
            ),
            dates=record(writings.DateWriting, order=one_of(*writings.ORDERS)),
            months=record(
                writings.MonthNames,
                {"years beyond 9999": lambda c: c.first_year <= 9900},
                first_year=whole(),
            ),
            names=record(writings.NumberNames, decimal=one_of(writings.POINT, writings.COMMA)),
        )
    ),
    is_stripped=a_truth,
)

LISTING = record(
    rules.Listing,
    {"nothing separates answers": lambda c: len(c.separator) > 0},
    separator=a_text,
    reading=READING,
)

_RANGES = {
    "there are not as many borders as ranges": lambda c: len(c.names) == len(c.edges) + 1,
    "borders do not ascend": lambda c: (
        all(edge == edge for edge in c.edges) and all(low < high for low, high in pairwise(c.edges))
    ),
}

RULE = either(
    keep=record(
        rules.Keep,
        kind=one_of(*rules.KINDS),
        reading=READING,
    ),
    bin=record(
        rules.Bin,
        _RANGES,
        edges=many(number(finite=False)),
        names=many(a_text, least=1),
        unit=one_of(writings.NUMBER, *writings.PERIODS),
        reading=READING,
        span=maybe(each([number(), number()])),
        infinite=many(number(finite=False)),
        has_others=a_truth,
    ),
    group=record(rules.Group, values=_texts, other=a_text, reading=READING),
    part=record(rules.DatePart, part=one_of(*rules.PARTS), reading=READING),
    answer=record(
        rules.Answer,
        {"the answer is not among those known": lambda c: c.answer in (None, *c.known)},
        answer=maybe(a_text),
        known=many(a_text, least=1, distinct=True),
        listing=LISTING,
        tells_new=a_truth,
    ),
    answered=record(rules.Answered, listing=LISTING),
)

_SUMMARY_ROW = record(
    dict,
    kind=Field(one_of(*summary_rows.KINDS), itemgetter("kind")),
    column=Field(a_text, itemgetter("column")),
    name=Field(a_text, itemgetter("name")),
    position=Field(whole(), itemgetter("position")),
    numbers=Field(mapping(a_text), itemgetter("numbers")),
)

_ARGUMENTS = {
    **dict.fromkeys(("why", "value", "other", "kind", "how", "example", "separator"), a_text),
    **dict.fromkeys(("n", "n_merged", "n_same", "most"), whole()),
    "values": many(checked(of_type(str, bool, int)), make=list),
    "spellings": many(many(a_text, make=list), make=list),
    "counts": mapping(whole()),
    **dict.fromkeys(("is_sample", "has_any"), a_truth),
    "columns": many(a_text, make=list),
    "rows": many(_SUMMARY_ROW, make=list),
}

_REASONS = {
    reason.name: record(
        dict, **{name: Field(_ARGUMENTS[name], itemgetter(name)) for name in reason.arguments}
    )
    for reason in note.Reason
}

NOTE = record(
    lambda column, action, reasons: note.Note(
        column, action, {note.Reason[name]: arguments for name, arguments in reasons.items()}
    ),
    column=a_text,
    action=one_of(note.KEPT, note.BINNED, note.GROUPED, note.SPLIT, note.LEFT_OUT),
    reasons=Field(
        mapping(_REASONS), lambda said: {one.name: own for one, own in said.reasons.items()}
    ),
)


def _made_by(prepared: Any, *kinds: type) -> set[str]:
    """Return the columns that rules of some kinds make."""
    pairs = zip(prepared.columns, prepared.rules, strict=True)
    return {name for name, rule in pairs if isinstance(rule, kinds)}


PREPARATION = record(
    Preparation,
    {
        "not all columns of answers and parts of dates, and no others, have an origin": lambda c: (
            set(c.origins) == _made_by(c, rules.Answer, rules.Answered, rules.DatePart)
        ),
        "a column is made of one that nothing is said of": lambda c: (
            {c.origins.get(name, name) for name in c.columns} <= {note.column for note in c.notes}
        ),
        "not all columns of answers, and no others, have a weight above 0": lambda c: (
            all(c.column_weights.values())
            and set(c.column_weights) == _made_by(c, rules.Answer, rules.Answered)
        ),
    },
    columns=many(a_text, least=1, distinct=True),
    rules=lambda c: each([RULE] * len(c.columns)),
    notes=many(NOTE),
    origins=mapping(a_text),
    column_weights=mapping(number(0, 1)),
)


# Estimators: their parameters, and what they have learned.


def _estimator(*kinds: str, is_fitted: bool = True) -> Codec:
    """Return the codec of an estimator of one of these kinds; of any, if there are none."""
    return either(**{kind: _of_kind(kind, is_fitted) for kind in kinds or tuple(KINDS)})


@cache
def _of_kind(kind: str, is_fitted: bool) -> Codec:
    codec = record(
        partial(_restored, KINDS[kind]),
        parameters=Field(mapping(PARAMETER), lambda one: one.get_params(deep=False)),
        output=Field(
            mapping(one_of("default", "pandas", "polars", None)),
            lambda one: getattr(one, "_sklearn_output_config", {}),
        ),
        **({"fitted": Field(LEARNED[kind], _checked_fitted)} if is_fitted else {}),
    )
    return replace(codec, kind=KINDS[kind])


def _restored(
    cls: type[Savable], parameters: Any, output: Any, fitted: dict[str, Any] | None = None
) -> Any:
    one: Any = cls(**parameters)  # scikit-learn's methods come with the subclass
    if output:
        one.set_output(**output)
    one._check_parameters()
    if fitted is not None:
        if fitted["feature_names_in_"] is None:
            del fitted["feature_names_in_"]
        one._restore(fitted)
    return one


def _checked_fitted(one: Any) -> Any:
    check_is_fitted(one)
    return one


def _write_parameter(value: Any, at: Place) -> Any:
    if isinstance(value, tuple(KINDS.values())):
        return {"estimator": _estimator(is_fitted=False).write(clone(value), at)}
    try:
        return to_plain(value)
    except ValueError as error:
        raise ValueError(f"Parameter {at.name.rpartition('/')[2]}: {error}") from None


def _read_parameter(plain: Any, at: Place) -> Any:
    if isinstance(plain, dict) and list(plain) == ["estimator"]:
        return _estimator(is_fitted=False).read(plain["estimator"], at)
    return from_plain(plain)


PARAMETER = Codec(_write_parameter, _read_parameter)
"""Parameters are checked by the estimator that takes them."""

_SEEN: dict[str, Any] = {
    "n_features_in_": whole(1),
    "feature_names_in_": Field(
        maybe(many(a_text, distinct=True, make=partial(np.array, dtype=object))),
        lambda one: getattr(one, "feature_names_in_", None),
    ),
}


def _columns_are_seen(encoder: Any) -> bool:
    columns = encoder._model.grouping.raw.columns
    if encoder.preparer_ is not None:
        return bool(encoder.preparer_.columns_ == columns)
    names = encoder.feature_names_in_
    n_columns = encoder.n_features_in_
    return n_columns == len(columns) and (names is None or tuple(names) == columns)


_PREPARER = record(dict, _library=one_of(*LIBRARIES), _preparation=PREPARATION, **_SEEN)

_ENCODER = record(
    dict,
    {"the columns are not those that were seen": _columns_are_seen},
    _library=one_of(*LIBRARIES),
    _model=MODEL,
    preparer_=lambda c: maybe(_estimator("preparer")),
    **_SEEN,
)


def _sizes(clusterer: Any) -> tuple[int, tuple[int, ...]]:
    """Return the number of clusters, and that of the values of each column."""
    return len(clusterer.cluster_centers_), clusterer.encoder_.counts_.sizes


def _reach(clusterer: Any) -> Codec:
    k, sizes = _sizes(clusterer)
    usual = numbers((k, len(sizes)), least=0)
    return record(ClusterRadius, farthest=numbers((k,), least=0), usual=usual)


def _costs(clusterer: Any) -> Codec:
    k, sizes = _sizes(clusterer)
    return maybe(each([numbers((n + 1, k), "biuf", dtype=float) for n in sizes], make=list))


_CLUSTERER = record(
    dict,
    {"there are no clusters": lambda c: len(c.cluster_centers_) > 0},
    encoder_=lambda c: _estimator("encoder", "untie"),
    preparer_=lambda c: maybe(_estimator("preparer")),
    k_choice_=maybe(K_CHOICE),
    inertia_=number(0),
    n_iter_=whole(),
    cluster_centers_=lambda c: numbers(
        (None, sum(c.encoder_._model.vectors.widths)), least=-LARGEST, most=LARGEST
    ),
    cluster_radius_=_reach,
    _labels=lambda c: maybe(numbers((None,), "i", least=0, most=_sizes(c)[0] - 1)),
    _costs=_costs,
    _sharpness=number(0, LARGEST),
    **_SEEN,
)

# The textbook methods.


def _distances(sizes: tuple[int, ...]) -> Codec:
    """Return the codec of the distances of each code to each value; the unknown code is last."""
    table = partial(numbers, least=-LARGEST, most=LARGEST)
    return each([table((size + 1, size)) for size in sizes], list)


def _are_codes(found: Any, sizes: tuple[int, ...]) -> bool:
    """Return whether numbers are codes of values, column by column."""
    return bool(((found >= 0) & (found < np.array(sizes)) & (found == np.floor(found))).all())


def _names_are_seen(columns: tuple[str, ...], c: Any) -> bool:
    names = c.feature_names_in_
    return c.n_features_in_ == len(columns) and (names is None or tuple(names) == columns)


_GROUPED = {
    "the columns are not those that were seen": lambda c: _names_are_seen(
        c._model.grouping.raw.columns, c
    )
}

_RUN: dict[str, Any] = {
    "cost_": number(),
    "n_iter_": whole(),
    "labels_": numbers((None,), "i", least=0),
}

_KMODES = record(
    dict,
    {
        **_GROUPED,
        "labels are beyond the modes": lambda c: c.labels_.max(initial=0) < len(c._model.modes),
    },
    _library=one_of(*LIBRARIES),
    _model=record(
        SimpleNamespace,
        {"modes are no values": lambda c: _are_codes(c.modes, c.grouping.vocabulary.sizes)},
        grouping=GROUPING,
        distances=lambda c: _distances(c.grouping.vocabulary.sizes),
        modes=lambda c: numbers((None, len(c.grouping.raw.columns)), "iu", dtype=np.intp),
    ),
    **_RUN,
    **_SEEN,
)


def _are_apart(c: Any) -> bool:
    """Return whether each column has values or numbers, and none both."""
    numeric = set(c.positions)
    others = tuple(name for place, name in enumerate(c.names) if place not in numeric)
    return numeric <= set(range(len(c.names))) and others == c.vocabulary.columns


_MIXED_COLUMNS = record(
    SimpleNamespace,
    {
        "columns have values and numbers": _are_apart,
        "a scale is 0": lambda c: bool((c.scales > 0).all()),
    },
    names=_texts,
    positions=many(whole(), distinct=True),
    vocabulary=_vocabulary(0),
    means=lambda c: numbers((len(c.positions),), least=-LARGEST, most=LARGEST),
    scales=lambda c: numbers((len(c.positions),), least=0, most=LARGEST),
)


def _prototypes_are_values(c: Any) -> bool:
    sizes = c.columns.vocabulary.sizes
    return _are_codes(c.prototypes[:, : len(sizes)], sizes)


_KPROTOTYPES = record(
    dict,
    {
        "the columns are not those that were seen": lambda c: _names_are_seen(
            c._model.columns.names, c
        ),
        "labels are beyond the prototypes": lambda c: (
            c.labels_.max(initial=0) < len(c._model.prototypes)
        ),
    },
    _library=one_of(*LIBRARIES),
    _model=record(
        SimpleNamespace,
        {"prototypes have no values": _prototypes_are_values},
        columns=_MIXED_COLUMNS,
        distances=lambda c: _distances(c.columns.vocabulary.sizes),
        prototypes=lambda c: numbers((None, len(c.columns.names)), least=-LARGEST, most=LARGEST),
    ),
    **_RUN,
    **_SEEN,
)

_logarithms = partial(numbers, least=-LARGEST, most=ROUNDING - 1)


def _profiles(model: Any, table: Callable[..., Codec]) -> Codec:
    """Return the codec of a number for each value of each column and each class."""
    k, sizes = len(model.log_weights), model.grouping.vocabulary.sizes
    return each([table((size, k)) for size in sizes], list)


_LATENT_CLASSES = record(
    dict,
    _GROUPED,
    _library=one_of(*LIBRARIES),
    _model=record(
        SimpleNamespace,
        {"there are no classes": lambda c: len(c.log_weights) > 0},
        grouping=GROUPING,
        log_weights=_logarithms((None,)),
        log_profiles=lambda c: _profiles(c, _logarithms),
    ),
    profiles_=lambda c: _profiles(c._model, partial(numbers, least=0, most=ROUNDING)),
    log_likelihood_=number(),
    objective_curve_=many(number(), make=list),
    n_parameters_=whole(),
    n_iter_=whole(),
    converged_=a_truth,
    bic_curve_=Field(
        many(each([whole(1), number()]), make=dict), lambda one: list(one.bic_curve_.items())
    ),
    **_SEEN,
)

LEARNED = {
    "preparer": _PREPARER,
    "encoder": _ENCODER,
    "untie": _ENCODER,
    "clusterer": _CLUSTERER,
    "kmodes": _KMODES,
    "kprototypes": _KPROTOTYPES,
    "latent_classes": _LATENT_CLASSES,
}
"""What a file of each kind holds of what an estimator has learned."""


def _make_pipeline(steps: Any, verbose: bool, transform_input: Any) -> Pipeline:
    # Without `memory`: a folder of a stranger's choice has pickles.
    more = {} if transform_input is None else {"transform_input": transform_input}
    return Pipeline(steps, verbose=verbose, **more)


PIPELINE = record(
    _make_pipeline,
    {"two steps have one name": lambda c: len({name for name, _ in c.steps}) == len(c.steps)},
    steps=lambda c: many(each([a_text, _estimator()]), least=1, make=list),
    verbose=a_truth,
    transform_input=Field(
        maybe(many(a_text, make=list)), lambda one: getattr(one, "transform_input", None)
    ),
)


def _any_model() -> Codec:
    """Return the codec of all that a file can hold."""
    kinds = {kind: _of_kind(kind, is_fitted=True) for kind in KINDS}
    return either(**kinds, pipeline=replace(PIPELINE, kind=Pipeline))
