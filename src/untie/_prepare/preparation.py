"""A table -> the rules of all its columns, and tables to which they are applied."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from untie._engines.source import Source
from untie._prepare.answers import Split, split_column
from untie._prepare.deciding import Options, decide, find_row_names, part_name, part_rules
from untie._prepare.look import Summary, empty_rows, look_at
from untie._prepare.note import KEPT, LEFT_OUT, Note, Reason, Reasons
from untie._prepare.numbers import NUMBER
from untie._prepare.rules import (
    AS_IT_IS,
    AUTO,
    NUMBERS,
    OTHERS,
    TEXT,
    Answer,
    Answered,
    Bin,
    Keep,
    Lists,
    Rule,
    as_text,
)
from untie._prepare.summary_rows import SummaryRow, rows_like, take_out_summaries
from untie._table.column_codes import factorize, typed_numbers
from untie._table.frames import make_frame, structured, usable
from untie._table.names import ADD_COLUMN, check_names, expand_keys, expand_names
from untie._table.orders import declared_order, find_scales, ordered_array, ordered_series
from untie._table.rows import read_weights, split_weights
from untie._table.table import Table, read_table
from untie._util.messages import Parameter, message, need
from untie._util.types import AnyArray, FloatArray, IntArray, Value


@dataclass(frozen=True)
class Preparation:
    """What is done to each column of a table so that it is one of categories.

    Parameters
    ----------
    columns : tuple of str
        The columns that come out, in the table's order.
    rules : tuple of rules
        What makes each of them.
    notes : tuple of Note
        What was decided about every column of the table, and why.
    origins : mapping of str to str
        Of columns that are parts of dates or answers, the columns that they are made of.
    column_weights : mapping of str to float
        Of columns that are answers, how much each counts.
    n_empty : int
        How many rows of the table that was prepared had no cell in any column that was looked at.
    first_empty : tuple of int
        The positions of the first of them.
    """

    columns: tuple[str, ...]
    rules: tuple[Rule, ...]
    notes: tuple[Note, ...]
    origins: Mapping[str, str] = field(default_factory=dict)
    column_weights: Mapping[str, float] = field(default_factory=dict)
    n_empty: int = 0
    first_empty: tuple[int, ...] = ()

    def apply(self, source: Source, keep: Sequence[str] = ()) -> Any:
        """Return the columns that are used, as categories.

        The ranges are those of the table that was prepared; numbers beyond go to the outer ones.
        Missing cells stay missing.

        Parameters
        ----------
        source : Source
            Rows with these columns, and perhaps others.
        keep : sequence of str
            More columns, which come last and as they are.

        Returns
        -------
        table
            Of the library of the rows; a lazy table for a lazy one. For an array a pandas frame, or
            a structured array where pandas is not installed.
        """
        return source.map_frames(self, [*self.columns, *keep])

    def rule(self, column: str) -> Rule:
        """Return what is done to a column that is used."""
        check_names([column], self.columns, "the prepared table")
        return self.rules[self.columns.index(column)]

    @property
    def looked_at(self) -> list[str]:
        """The columns that were looked at, used or not."""
        named = {Reason.AS_ASKED}, {Reason.WEIGHTS}, {Reason.ROW_NAMES}  # by the user
        return [note.column for note in self.notes if set(note.reasons) not in named]

    @property
    def summary_rows(self) -> list[SummaryRow]:
        """The rows of the table that was prepared that summarize all others."""
        found = (note.argument(Reason.SUMMARIES, "rows") or [] for note in self.notes)
        return [SummaryRow(**row) for row in chain.from_iterable(found)]

    @property
    def has_uncounted(self) -> bool:
        """Whether the table that was prepared has rows that nothing is learned from."""
        return self.n_empty > 0 or bool(self.summary_rows)

    def weights(self, table: Table, weights: FloatArray | None) -> FloatArray | None:
        """Return how often raw rows count; None if all count once.

        It is 0 for those without cells, and for those that summarize the others.
        """
        counts = None if weights is None else weights > 0
        found = [empty_rows(table, self.looked_at, counts)]
        found += [rows_like(table, row, counts) for row in self.summary_rows]
        if not any(map(len, found)):
            return weights
        counted = np.ones(table.n_rows) if weights is None else weights.copy()
        counted[np.concatenate(found)] = 0.0
        return counted

    @property
    def answers(self) -> dict[str, list[str]]:
        """The columns of the answers of each column that was split."""
        found: dict[str, list[str]] = {}
        for name, rule in zip(self.columns, self.rules, strict=True):
            if isinstance(rule, Answer | Answered):
                found.setdefault(self.origins[name], []).append(name)
        return found

    def outside(self, table: Table) -> Iterator[tuple[str, Bin, list[int], list[str]]]:
        """Yield columns with numbers or dates beyond those that were seen.

        Each with its rule, the rows in which they are, and the cells of these rows as text.
        """
        pairs = zip(self.columns, self.rules, strict=True)
        spans = {name: rule for name, rule in pairs if isinstance(rule, Bin) and rule.span}
        check_names(list(spans), table.names, "the table")
        places = {name: place for place, name in enumerate(table.names)}
        for name, rule in spans.items():
            codes, values = factorize(table.columns[places[name]], name)
            rows = np.flatnonzero(rule.is_outside(values)[codes])
            if len(rows):
                texts = [as_text(values[code]) for code in codes[rows].tolist()]
                yield name, rule, rows.tolist(), texts

    def new_answers(
        self, table: Table
    ) -> Iterator[tuple[str, tuple[str, ...], dict[int, list[str]]]]:
        """Yield columns with answers that were not seen.

        Each with the answers that were, and the new ones of each row that has some.
        """
        places = {name: place for place, name in enumerate(table.names)}
        for column, names in self.answers.items():
            rule = self.rule(names[0])
            if not (isinstance(rule, Answer) and rule.tells_new):
                continue
            check_names([column], table.names, "the table")
            codes, values = factorize(table.columns[places[column]], column)
            known = set(rule.known)
            new = [sorted(found - known) for found in rule.listing.read(values)]
            rows = np.flatnonzero(np.array([bool(some) for some in new], dtype=bool)[codes])
            if len(rows):
                found = {row: new[codes[row]] for row in rows.tolist()}
                yield column, rule.known, found

    def inputs(self, columns: Sequence[str]) -> list[str]:
        """Return the columns of the table that these are made of."""
        return list(dict.fromkeys(self.origins.get(name, name) for name in columns))

    def renamed(self, column: str, names: Mapping[str, Any]) -> Any:
        """Return what a column is called where those of the table have other names."""
        origin = self.origins.get(column)
        if origin is None:
            return names[column]
        return f"{names[origin]}{column.removeprefix(origin)}"

    def __call__(self, data: Any, names: Sequence[str]) -> Any:
        """Return some columns: those that are used are prepared, others come last, as they are."""
        table = read_table(data, min_rows=0)
        wanted, pairs = set(names), zip(self.columns, self.rules, strict=True)
        rules = {name: rule for name, rule in pairs if name in wanted}
        kept = [name for name in dict.fromkeys(names) if name not in rules]
        own = self.inputs(list(rules))
        check_names(own, table.names, "the table", remedy=ADD_COLUMN, owner="the model")
        check_names(kept, table.names, "the table")
        if not isinstance(table.columns[0], nw.Series) and usable("pandas") != "pandas":
            return self._apply_arrays(table, rules, kept)
        frame = nw.from_native(_as_frame(table), eager_only=True)
        pieces = {}
        listed: dict[str, tuple[AnyArray, list[Value], Lists]] = {}
        for name, rule in rules.items():
            origin = self.origins.get(name, name)
            series = frame[origin].alias(name)
            if isinstance(rule, Answer | Answered):
                if origin not in listed:
                    codes, values = factorize(series, name)
                    listed[origin] = codes, values, rule.listing.read(values)
                codes, values, lists = listed[origin]
                labels = [*rule.labels_of(values, lists), None]
                series = _of_labels(series, name, codes, labels, nw.String)
            elif not (isinstance(rule, Keep) and _is_kept(series, rule)):
                series = _relabeled(series, name, rule)
            pieces[name] = series
        pieces |= {name: frame[name] for name in kept}
        if frame.implementation.is_pyarrow():  # with_columns takes minutes for 10,000 columns
            return need("pyarrow").table({name: s.to_native() for name, s in pieces.items()})
        # One column at least holds the rows' index.
        own = [name for name in pieces if name in frame.columns] or frame.columns[:1]
        return frame.select(own).with_columns(*pieces.values()).select(list(pieces)).to_native()

    def _apply_arrays(
        self, table: Table, rules: Mapping[str, Rule], kept: Sequence[str]
    ) -> AnyArray:
        """Return a structured array, which holds what no library but pandas has a column for."""
        columns = dict(zip(table.names, table.columns, strict=True))
        pieces = {}
        for name, rule in rules.items():
            column = columns[self.origins.get(name, name)]
            codes, labels = _labeled(column, name, rule)
            places = _places(codes, labels, order := _order_of(column, rule))
            cells = np.fromiter(labels, dtype=object, count=len(labels))[codes]
            if places is not None:
                cells = ordered_array(places, order)
            pieces[name] = cells.astype(float) if _are_numbers(rule) else cells
        return structured({**pieces, **{name: columns[name] for name in kept}})


@dataclass(frozen=True)
class Weighed:
    """The columns of a preparation, and one that says how often each row counts.

    Parameters
    ----------
    preparation : Preparation
        Makes the other columns.
    weight : str or None
        The column of the table that says how often rows with cells count; None if all count once.
    name : str
        The new column, which is 0 for rows that nothing is learned from.
    """

    preparation: Preparation
    weight: str | None
    name: str

    def inputs(self, columns: Sequence[str]) -> list[str]:
        """Return the columns of the table that these are made of."""
        own = self.preparation.inputs([name for name in columns if name != self.name])
        if self.name not in columns:
            return own
        more = [] if self.weight is None else [self.weight]
        return list(dict.fromkeys([*own, *self.preparation.looked_at, *more]))

    def __call__(self, data: Any, names: Sequence[str]) -> Any:
        """Return some columns."""
        others = [name for name in names if name != self.name]
        if len(others) == len(names):
            return self.preparation(data, names)
        cells, weights = split_weights(data, self.weight)
        table = read_table(cells, min_rows=0)
        given = None if weights is None else read_weights(weights, table.n_rows)
        counted = self.preparation.weights(table, given)
        counted = np.ones(table.n_rows) if counted is None else counted
        made = nw.from_native(self.preparation(cells, others or self.preparation.columns[:1]))
        own = nw.new_series(self.name, counted, nw.Float64, backend=made.implementation)
        return made.with_columns(own).select(list(names)).to_native()


def _as_frame(table: Table) -> Any:
    """Return a frame whose columns have the table's names."""
    if not isinstance(table.columns[0], nw.Series):
        columns = dict(zip(table.names, table.columns, strict=True))
        return make_frame("pandas", columns)
    if table.backend == "pandas":  # whose names may be anything
        return table.source.set_axis(list(table.names), axis=1)
    return table.source


def _is_kept(series: Any, rule: Keep) -> bool:
    """Return whether the type of a column shows that it needs no change."""
    if rule.kind == OTHERS:
        return True
    is_text = isinstance(series.dtype, nw.String | nw.Categorical | nw.Enum)
    if rule.kind == TEXT:
        return is_text and rule.reading == AS_IT_IS
    return rule.kind == NUMBERS and bool(series.dtype.is_numeric())


def _order_of(column: Any, rule: Rule) -> list[str]:
    """Return the order that the type of a prepared column has; nothing if it has none."""
    if isinstance(rule, Bin) and not rule.has_others:
        return list(dict.fromkeys(rule.names))
    if isinstance(rule, Keep) and rule.kind == TEXT:  # whose type may have an order
        own = list(declared_order(column))
        is_same = rule.reading.writing is None and not rule.reading.is_stripped
        labels = own if is_same else dict.fromkeys(rule.labels(own))
        return [as_text(label) for label in labels if label is not None]
    return []


def _places(codes: AnyArray, labels: list[Any], order: list[str]) -> IntArray | None:
    """Return the place of each cell in an order, -1 if it is missing; None if one has no place."""
    if not order:
        return None
    known: dict[Any, int] = {label: place for place, label in enumerate(order)} | {None: -1}
    places = np.array([known.get(label, -2) for label in labels], dtype=np.intp)
    found = places[codes]
    return None if -2 in places and -2 in found else found


def _labeled(column: Any, name: str, rule: Rule) -> tuple[AnyArray, list[Any]]:
    """Return the labels of a column and the position of each cell's label among them."""
    numbers = typed_numbers(column) if isinstance(rule, Bin) and rule.unit == NUMBER else None
    if isinstance(rule, Bin) and numbers is not None:
        # The same without looking for distinct numbers, of which there may be as many as rows.
        codes = np.searchsorted(rule.edges, numbers)
        codes[np.isnan(numbers)] = len(rule.names)
        return codes, [*rule.names, None]
    codes, values = factorize(column, name)
    return codes, [*rule.labels(values), None]


def _are_numbers(rule: Rule) -> bool:
    return isinstance(rule, Keep) and rule.kind == NUMBERS


def _relabeled(series: Any, name: str, rule: Rule) -> Any:
    codes, labels = _labeled(series, name, rule)
    places = _places(codes, labels, order := _order_of(series, rule))
    if places is not None:
        return ordered_series(places, order, series.implementation).alias(name)
    # By the rule alone, so that every piece of a table has the same type, even one without rows.
    dtype = nw.Float64 if _are_numbers(rule) else nw.String
    return _of_labels(series, name, codes, labels, dtype)


def _of_labels(series: Any, name: str, codes: AnyArray, labels: list[Any], dtype: Any) -> Any:
    """Return a column of the library of another one."""
    small = nw.new_series(name, labels, dtype, backend=series.implementation)
    return small[codes.astype(np.int64)] if len(codes) else small[:0]


SHOWN = 8
"""At most this many columns are named in a message."""


def make_preparation(source: Source, options: Options, sample_weight: Any) -> Preparation:
    """Find out how any table becomes one of categories; see `Preparer`."""
    names = _names_of(source)
    weight = sample_weight if isinstance(sample_weight, str) else None
    options = _expanded(names, options)
    chosen, dropped = _choose(names, options, weight)
    options = replace(options, categorical=frozenset(options.categorical))
    notes = {name: Note(name, LEFT_OUT, {reason: {}}) for name, reason in dropped.items()}
    rules: dict[str, Rule] = {}
    origins: dict[str, str] = {}
    weights: dict[str, float] = {}
    looked = look_at(source, chosen, sample_weight)
    summaries = [] if options.keep_totals else take_out_summaries(looked)
    seen = looked.summaries()
    splits = _find_splits(names, dict(zip(chosen, seen, strict=True)), options)
    for name, of_column in zip(chosen, seen, strict=True):
        split = splits[name]
        if isinstance(split, Split):
            rules |= split.rules
            notes[name] = split.note
            origins |= dict.fromkeys(split.rules, name)
            weights |= dict.fromkeys(split.rules, split.weight)
            continue
        rule, notes[name] = decide(name, of_column, options)
        notes[name] = notes[name].also(split)
        if rule is not None:
            rules[name] = rule
        parts = {part_name(name, rule.part): rule for rule in part_rules(of_column, options)}
        for part in parts:
            if part in names:
                raise ValueError(f"The table has a column {part!r} already; rename it.")
        if parts:
            rules |= parts
            origins |= dict.fromkeys(parts, name)
            notes[name] = notes[name].also({Reason.DATE_PARTS: {"columns": list(parts)}})
    for name in _on_scales(rules, notes, dict(zip(chosen, seen, strict=True))):
        order: Reasons = {Reason.SCALE: dict(notes[name].reasons[Reason.FEW_NUMBERS])}
        notes[name] = Note(name, KEPT, {**order, **notes[name].without(Reason.FEW_NUMBERS).reasons})
    if not rules:
        said = "; ".join(str(notes[name]) for name in list(names)[:SHOWN])
        able = [n for n, s in zip(chosen, seen, strict=True) if not s.problem]
        alone = any(s.rows.sum() + s.n_missing == 1 for s in seen)
        hint = _remedy([notes[name] for name in able], alone)
        raise ValueError(message("No column is left to learn from ({0}).{1}", said, hint))
    if options.row_names == AUTO:
        naming = find_row_names(notes, dict(zip(chosen, seen, strict=True)))
        if naming is not None:
            notes[naming] = notes[naming].also({Reason.ROW_NAMES: {}})
    for summary in summaries:
        _note_summary(summary, rules, notes)
    said_of_all = tuple(notes[name] for name in names)
    empty = looked.n_empty, tuple(looked.first_empty)
    return Preparation(tuple(rules), tuple(rules.values()), said_of_all, origins, weights, *empty)


def _find_splits(
    names: Sequence[str], seen: Mapping[str, Summary], options: Options
) -> dict[str, Split | Reasons]:
    """Return what becomes of the columns that are looked at and list answers; see `split_column`.

    None whose answers would be called as another column is split, whichever comes first.
    """
    found = {name: split_column(name, own, options) for name, own in seen.items()}
    splits = {name: own for name, own in found.items() if isinstance(own, Split)}
    parts = (part_name(name, part) for name in seen for part in options.date_parts)
    called = Counter(chain(names, parts, *(split.rules for split in splits.values())))
    for name, split in splits.items():
        twice = min((own for own in split.rules if called[own] > 1), default=None)
        if twice is None:
            continue
        if options.sets != AUTO:
            if twice in names:
                raise ValueError(f"The table has a column {twice!r} already; rename it.")
            said = f"Another column would be called {twice!r}, as an answer of {name!r}; "
            raise ValueError(f"{said}rename {name!r}.")
        found[name] = {Reason.SAME_NAME: {"value": twice}}
    return found


def _note_summary(summary: SummaryRow, rules: dict[str, Rule], notes: dict[str, Note]) -> None:
    """Note a row that summarizes the others at the column that has its name."""
    column = summary.column
    said = notes[column].reasons.get(Reason.SUMMARIES, {}).get("rows", [])
    notes[column] = notes[column].also({Reason.SUMMARIES: {"rows": [*said, asdict(summary)]}})
    rule = rules.get(column)
    if isinstance(rule, Bin):  # the row stays in the table, and its name is no range
        rules[column] = replace(rule, has_others=True)


def _on_scales(
    rules: Mapping[str, Rule], notes: Mapping[str, Note], seen: Mapping[str, Summary]
) -> frozenset[str]:
    """Return the columns of few numbers whose order learning takes account of by itself."""
    few = [name for name in rules if name in notes and Reason.FEW_NUMBERS in notes[name].reasons]
    values = [rules[name].labels(seen[name].values) for name in few]
    return find_scales(few, values, _copies(rules, seen) if few else frozenset())


def _copies(rules: Mapping[str, Rule], seen: Mapping[str, Summary]) -> frozenset[str]:
    """Return the columns of few values with the content of one before, as learning finds them."""
    before: set[frozenset[float]] = set()
    copies = set()
    for name in rules:
        sums: dict[Value, float] = {}
        places = seen[name].places if name in seen else {}
        labels = rules[name].labels(list(places))
        for label, place in zip(labels, places.values(), strict=True):
            sums[label] = sums.get(label, 0.0) + place
        if len(sums) > 1:
            content = frozenset(sums.values())
            if content in before:
                copies.add(name)
            before.add(content)
    return frozenset(copies)


def _remedy(notes: Sequence[Note], is_one_row: bool) -> str:
    """Return the remedy where every readable column was left out."""
    if is_one_row:
        return " The table has 1 sample; one row tells nothing apart, so pass more rows."
    alike = {Reason.CONSTANT, Reason.ALL_MISSING}
    able = [note.column for note in notes if alike.isdisjoint(note.reasons)]
    if able:
        named = Parameter("columns", able[:SHOWN], owner="Preparer")
        return message(" To learn from some all the same, name them: {named}.", named=named)
    if notes:
        return " Rows that are all alike have no clusters; pass rows that differ."
    return " Pass a table with columns of categories, numbers or dates, or leave out fewer."


def _names_of(source: Source) -> tuple[str, ...]:
    if source.is_one_shot:
        raise ValueError(
            f"{source.origin} can be read only once, and to prepare it takes one reading; pass "
            "what it was made from (a dataset, a query, untie.scan of files)."
        )
    return tuple(source.columns)


def _expanded(names: Sequence[str], options: Options) -> Options:
    """Return the options with the columns that patterns stand for."""
    expanded: dict[str, Any] = {}
    for argument in ("columns", "drop", "categorical"):
        given = getattr(options, argument)
        if isinstance(given, str | os.PathLike):
            raise TypeError(f"{argument} must be a list of names, got {given!r}: [{given!r}].")
        if given is not None:
            expanded[argument] = expand_names(given, names)
    if isinstance(options.sets, Mapping):
        expanded["sets"] = expand_keys(options.sets, names)
    elif options.sets != AUTO:
        expanded["sets"] = expand_names(options.sets, names)
    return replace(options, **expanded)


def _choose(
    names: Sequence[str], options: Options, weight: str | None
) -> tuple[list[str], dict[str, Reason]]:
    """Return the columns to look at, and why the others are not."""
    sets = () if options.sets == AUTO else tuple(options.sets)
    given = {name: getattr(options, name) or () for name in ("columns", "drop", "categorical")}
    for argument, named in {**given, "sets": sets}.items():
        check_names(named, names, "the table", f", which {argument} names")
    of_rows = () if weight is None else (weight,)
    check_names(of_rows, names, "the table", ", which sample_weight names")
    naming = options.row_names
    if naming not in (AUTO, None):
        check_names([naming], names, "the table", message(", which {row_names} names"))
    dropped = {}
    wanted = set(names if options.columns is None else options.columns) - set(options.drop)
    for name in names:
        if name == weight:
            dropped[name] = Reason.WEIGHTS
        elif name == naming:
            dropped[name] = Reason.ROW_NAMES
        elif name not in wanted:
            dropped[name] = Reason.AS_ASKED
    if naming in dropped and naming in (options.columns or ()):
        said = "{row_names} and {columns} both name the column {0}, but a column that names the "
        raise ValueError(message(said + "rows is not learned from; keep one.", repr(naming)))
    for argument, named in (("categorical", options.categorical), ("sets", sets)):
        for name in named:
            if name in dropped:
                said = f"{{{argument}}} names the column {{0}}, which is not to be used; take it "
                more = f"out of {{{argument}}}, or name it in {{columns}} and not in {{drop}}."
                raise ValueError(message(said + more, repr(name)))
    for name in sets:
        if name in options.categorical:
            said = "{sets} and {categorical} both name the column {0}; its cells are either lists "
            raise ValueError(message(said + "of answers or categories, so keep one.", repr(name)))
    return [name for name in names if name not in dropped], dropped
