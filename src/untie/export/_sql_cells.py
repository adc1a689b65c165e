"""The rules of a preparer as SQL: raw cells -> prepared cells, in three steps.

The first step strips texts, the second reads numbers, dates and missing cells, and the third makes
categories of them. Each step is a subquery, so that no long expression is written twice.

Regular expressions use what PostgreSQL, RE2 and Java have in common.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from untie._prepare.numbers import (
    DAY_FIRST,
    MONTH_FIRST,
    NUMBER,
    PERIODS,
    YEAR_FIRST,
    DateWriting,
    NumberNames,
    NumberWriting,
)
from untie._prepare.rules import (
    BOOLEANS,
    MONTHS,
    NOT_PICKED,
    PICKED,
    TEXT,
    TRUTHS,
    WEEKDAYS,
    Answer,
    Answered,
    Bin,
    DatePart,
    Group,
    Keep,
    Listing,
    Reading,
)
from untie.export._attributes import ExportedColumn, Kind
from untie.export._dialects import PART, Dialect
from untie.export._patterns import (
    BLANKS,
    DIGITS,
    PLAIN_NUMBER,
    in_class,
    named_numbers,
    written_number,
)

RAW, BARE, READ = "raw_row", "bare_row", "read_row"
"""What the steps call the rows that they read."""

EXACT_DIGITS = 16
"""A number of at most this many characters, the point included, is its shortest name."""

_DAYS = (
    "([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})-"
    "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8]))"
    "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)-02-29"
)
_PLACES = {DAY_FIRST: (3, 2, 1), MONTH_FIRST: (3, 1, 2), YEAR_FIRST: (1, 2, 3)}
"""Where the year, the month and the day are."""

_MINUTES = ":[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?"
_CLOCK_24 = f"([01]?[0-9]|2[0-3]){_MINUTES}"
_CLOCK_12 = f"(0?[1-9]|1[0-2]){_MINUTES}[{BLANKS}]?[AaPp][.]?[Mm][.]?"

_SECONDS = "[0-5][0-9]([.,][0-9]+)?"
_CLOCK = f"[ Tt]([01][0-9]|2[0-3])(:[0-5][0-9](:{_SECONDS})?|[0-5][0-9]({_SECONDS})?)?"
_UTC_DATE = f"({_DAYS})({_CLOCK}(Z|[+-]00(:?00)?)?)?"
_ZONED_DATE = f"({_DAYS}){_CLOCK}[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?"
"""Dates in ISO 8601 that exist: the 29th of February in leap years only. No zone is further away
than 15:59 hours, as PostgreSQL takes no others."""


@dataclass(frozen=True)
class CellSteps:
    """The columns of each step, by their names within the query.

    Parameters
    ----------
    bare, read, prepared : dict
        The expression of each column.
    """

    bare: dict[str, str] = field(default_factory=dict)
    read: dict[str, str] = field(default_factory=dict)
    prepared: dict[str, str] = field(default_factory=dict)


def write_steps(ways: Dialect, cells: Sequence[ExportedColumn], prefix: str) -> CellSteps:
    """Return the expressions that prepare cells.

    Parameters
    ----------
    ways : Dialect
        The database.
    cells : sequence of ExportedColumn
        The prepared columns.
    prefix : str
        How the names of the columns within the query begin. The prepared ones are "value_1", ...
        after it.
    """
    steps = CellSteps()
    for number, cell in enumerate(cells, start=1):
        raw = f"{RAW}.{ways.identifier(cell.origin)}"
        own = f"{prefix}cell_{number}"
        steps.bare[own] = raw
        if cell.is_kept:
            steps.read[own] = f"{BARE}.{own}"
            value = f"{READ}.{own}"
        else:
            bare = f"{prefix}bare_{number}"
            is_text, text = ways.is_text.format(cell=raw), ways.to_text(raw)
            steps.bare[bare] = f"CASE WHEN {is_text} THEN {ways.strip(text)} END"
            named = {part: f"{prefix}{part}_{number}" for part in ("text", "number", "clock")}
            after = {part: f"{READ}.{name}" for part, name in named.items()}
            writer = _CellWriter(ways, cell, f"{BARE}.{own}", f"{BARE}.{bare}", after)
            read, value = writer.write()
            steps.read.update({named[part]: expression for part, expression in read.items()})
        steps.prepared[f"{prefix}value_{number}"] = value
    return steps


_Written = tuple[dict[str, str], str]


@dataclass(frozen=True)
class _CellWriter:
    """Writes the expressions of one cell that changes.

    Parameters
    ----------
    ways : Dialect
        The database.
    cell : ExportedColumn
        The prepared column.
    own : str
        The cell.
    bare : str
        The cell without blanks around it, if it is a text; NULL otherwise.
    after : mapping of str to str
        What the third step calls the parts that the second one reads: the text, the number and the
        date.
    """

    ways: Dialect
    cell: ExportedColumn
    own: str
    bare: str
    after: Mapping[str, str]

    def write(self) -> _Written:
        """Return the expressions of the parts, and that of the prepared cell."""
        rule = self.cell.rule
        writers: Mapping[type, Callable[..., _Written]] = {
            Keep: self._keep,
            Bin: self._bin,
            Group: self._group,
            DatePart: self._date_part,
            Answer: self._answer,
            Answered: self._answered,
        }
        self.cell.check("SQL")
        return writers[type(rule)](rule)

    def _keep(self, rule: Keep) -> _Written:
        text = {"text": self._text(rule.reading)}
        if rule.kind == TEXT:
            return text, self.after["text"]
        if rule.kind == BOOLEANS:
            return {"text": self._truth(rule.reading)}, self.after["text"]
        is_there, number = f"{self.after['text']} IS NOT NULL", self.after["number"]
        known = f"COALESCE({number}, {self.ways.number(math.inf)})"
        made = {**text, "number": self._number(rule.reading)}
        return made, f"CASE WHEN {is_there} THEN {known} END"

    def _group(self, rule: Group) -> _Written:
        text, other = self.after["text"], self.ways.text(rule.other)
        known = f"WHEN {self.ways.is_one_of(text, rule.values)} THEN {text}"
        value = f"CASE {known} WHEN {text} IS NOT NULL THEN {other} END"
        return {"text": self._text(rule.reading)}, value

    def _bin(self, rule: Bin) -> _Written:
        if rule.unit == NUMBER:
            made, key, edges = {"number": self._number(rule.reading)}, "number", rule.edges
        else:
            made, key = {"clock": self._clock(rule.reading)}, "clock"
            edges = tuple(_last_clock(edge, rule.unit) for edge in rule.edges)
        cell, names = self.after[key], list(map(self.ways.text, rule.names))
        cases = [
            f"WHEN {cell} <= {self.ways.number(edge)} THEN {name}"
            for edge, name in zip(edges, names, strict=False)
        ]
        cases += [f"WHEN {cell} IS NOT NULL THEN {names[-1]}", f"ELSE {self.after['text']}"]
        return {"text": self._text(rule.reading), **made}, f"CASE {' '.join(cases)} END"

    def _date_part(self, rule: DatePart) -> _Written:
        parts = {
            "weekday": (_WEEKDAY, dict(enumerate(WEEKDAYS))),
            "month": (_MONTH, dict(enumerate(MONTHS, start=1))),
            "hour": (_HOUR, {hour: f"{hour} h" for hour in range(24)}),
        }
        formula, labels = parts[rule.part]
        number = formula.format(clock=self.after["clock"])
        cases = " ".join(f"WHEN {n} THEN {self.ways.text(label)}" for n, label in labels.items())
        text, clock = self.after["text"], self.after["clock"]
        value = f"CASE WHEN {clock} IS NULL THEN {text} ELSE CASE {number} {cases} END END"
        return {"text": self._text(rule.reading), "clock": self._clock(rule.reading)}, value

    def _answer(self, rule: Answer) -> _Written:
        ways, text = self.ways, self.after["text"]
        picked, not_picked, bare = ways.text(PICKED), ways.text(NOT_PICKED), ways.strip(PART)
        is_known = ways.is_one_of(bare, rule.known)
        is_new = f"{bare} <> '' AND NOT {is_known}"
        own = is_new if rule.answer is None else f"{bare} = {ways.text(rule.answer)}"
        cases, rest = {own: picked}, not_picked
        if rule.tells_new:
            first = {is_new: text} if self.cell.fails_at_new else {}
            cases, rest = {**first, **cases, is_known: not_picked}, text
        return self._of_parts(rule.listing, {**cases, f"{bare} <> ''": rest}, "NULL")

    def _answered(self, rule: Answered) -> _Written:
        is_there = f"{self.ways.strip(PART)} <> ''"
        cases = {is_there: self.ways.text(PICKED)}
        return self._of_parts(rule.listing, cases, self.ways.text(NOT_PICKED))

    def _of_parts(self, listing: Listing, cases: Mapping[str, str], other: str) -> _Written:
        """Return the first value whose condition is true of one of the cell's parts."""
        whens = " ".join(
            f"WHEN {self.ways.has_part(self.after['text'], listing.separator, condition)} "
            f"THEN {value}"
            for condition, value in cases.items()
        )
        return {"text": self._text(listing.reading)}, f"CASE {whens} ELSE {other} END"

    def _by_type(self, reading: Reading, typed: str, cases: Iterable[str], other: str) -> str:
        """Return an expression for cells of other types, for missing cells and for texts."""
        whens = [f"WHEN {self.bare} IS NULL THEN {typed}"]
        missing = self._means_missing(reading)
        whens += [f"WHEN {missing} THEN NULL"] if missing else []
        return f"CASE {' '.join([*whens, *cases])} ELSE {other} END"

    def _means_missing(self, reading: Reading) -> str:
        own, words = self.ways.to_text(self.own), dict.fromkeys(reading.missing)
        bare = [word for word in words if word == word.strip()]
        blank = [word for word in words if word != word.strip()]
        found = [self.ways.is_one_of(self.bare, bare)] if bare else []
        found += [self.ways.is_one_of(own, blank)] if blank else []
        return " OR ".join(found)

    def _texts(self, reading: Reading) -> str:
        return self.bare if reading.is_stripped else self.ways.to_text(self.own)

    def _text(self, reading: Reading) -> str:
        """Return the cell as text, NULL if it is missing."""
        text, cases = self._texts(reading), []
        if isinstance(reading.writing, NumberNames):
            cases = self._number_names(reading, reading.writing)
        return self._by_type(reading, self._typed_text(), cases, text)

    def _typed_text(self) -> str:
        """Return a cell that is no text as Python writes it; a whole number without a point."""
        text, ways = self.ways.to_text(self.own), self.ways
        number = ways.as_double.format(cell=text)
        is_large = ways.is_match(text, "-?[0-9.]+[eE][+]?[0-9]{1,2}")
        whole = ways.to_text(f"CAST({number} AS {ways.types[Kind.INTEGER]})")
        has_exponent = ways.is_match(text, "-?[0-9.]+[eE].*")
        named = "".join(
            f"WHEN {has_exponent} AND {is_so} THEN {name} "
            for is_so, name in self._known_names(number).items()
        )
        return (
            f"CASE WHEN LOWER({text}) = 'nan' THEN NULL {named}"
            f"WHEN LOWER({text}) = 'true' THEN 'True' WHEN LOWER({text}) = 'false' THEN 'False' "
            f"WHEN {ways.is_match(text, '-?[0-9]+[.]0')} THEN {ways.without(text, '[.]0$')} "
            f"WHEN {is_large} THEN CASE WHEN ABS({number}) < 1e18 AND FLOOR({number}) = {number} "
            f"THEN {whole} ELSE {text} END ELSE {text} END"
        )

    def _truth(self, reading: Reading) -> str:
        """Return a truth as text, whatever the type it has."""
        own = f"LOWER({self.ways.to_text(self.own)})"
        typed, texts = [], []
        for name in dict.fromkeys(TRUTHS.values()):
            spelled = (str(key) for key, found in TRUTHS.items() if found == name)
            numbers = [text for key in spelled for text in (key, f"{key}.0")]
            typed.append(f"WHEN {self.ways.is_one_of(own, numbers)} THEN '{name}'")
            texts.append(f"WHEN LOWER({self.bare}) = '{name.lower()}' THEN '{name}'")
        of_types = f"CASE {' '.join(typed)} ELSE {self._typed_text()} END"
        return self._by_type(reading, of_types, texts, self._texts(reading))

    def _number(self, reading: Reading) -> str:
        """Return the cell as a number, NULL if it is none."""
        ways, bare = self.ways, self.bare
        typed = ways.as_double.format(cell=self.own)
        cases = []
        if isinstance(reading.writing, NumberWriting):
            written = ways.read_number(f"({self._digits(reading.writing)})")
            cases += [f"WHEN {ways.is_match(bare, written_number(reading.writing))} THEN {written}"]
        cases += [f"WHEN {ways.is_match(bare, PLAIN_NUMBER)} THEN {ways.read_number(bare)}"]
        is_nan = f"CASE WHEN {ways.is_nan(typed)} THEN NULL ELSE {typed} END"
        return self._by_type(reading, is_nan, cases, "NULL")

    def _digits(self, writing: NumberWriting) -> str:
        """Return a number that is written so as plain text."""
        ways, text = self.ways, self.bare
        for part in filter(None, (writing.before, writing.after)):
            text = f"REPLACE({text}, {ways.text(part)}, '')"
        digits = ways.without(text, f"[^0-9{in_class(writing.decimal)}]")
        if writing.decimal != ".":
            digits = f"REPLACE({digits}, {ways.text(writing.decimal)}, '.')"
        is_negative = ways.matches.format(text=self.bare, pattern=ways.text("[-\u2212]"))
        return f"CASE WHEN {is_negative} THEN '-' ELSE '' END || {digits}"

    def _number_names(self, reading: Reading, names: NumberNames) -> list[str]:
        """Return the cases of texts that are numbers: the same text for the same number."""
        ways, bare, cases, plain = self.ways, self.bare, [], self.bare
        if names.decimal == ",":
            plain = f"REPLACE({bare}, ',', '.')"
            is_unclear = ways.is_match(bare, "[-+]?[0-9]{1,3}[.][0-9]{3}")
            is_both = f"({bare} LIKE '%,%' AND {bare} LIKE '%.%')"
            cases += [f"WHEN {is_unclear} OR {is_both} THEN {self._texts(reading)}"]
        number, text = ways.read_number(plain), self._texts(reading)
        whole = ways.to_text(f"CAST({number} AS {ways.types[Kind.INTEGER]})")
        named = "".join(
            f"WHEN {is_so} THEN {name} " for is_so, name in self._known_names(number).items()
        )
        decimals = ways.without(ways.without(plain, "^[+]"), "0+$")
        has_decimals = ways.is_match(plain, f"[-+]?{DIGITS}[.][0-9]+")
        is_short = f"LENGTH({plain}) <= {EXACT_DIGITS} AND ABS({number}) >= 1e-4"
        other = ways.to_text(number)
        if ways.name == "spark":  # which writes 0.0005 as 5.0E-4
            is_usual = f"ABS({number}) >= 1e-3 AND ABS({number}) < 1e7"
            other = f"CASE WHEN {is_usual} THEN {other} ELSE {plain} END"
        return [
            *cases,
            f"WHEN {ways.is_match(plain, '-0([.]0)?')} THEN '0'",
            f"WHEN {ways.is_match(plain, f'-?{DIGITS}([.]0)?')} "
            f"THEN {ways.without(plain, '[.]0$')}",
            f"WHEN {ways.is_match(plain, PLAIN_NUMBER)} THEN CASE {named}"
            f"WHEN ABS({number}) < 9e18 AND FLOOR({number}) = {number} THEN {whole} "
            f"WHEN {has_decimals} AND (({is_short}) OR ABS({number}) >= 1e15) THEN {decimals} "
            f"WHEN ABS({number}) < {self.ways.number(math.inf)} THEN {other} ELSE {text} END",
        ]

    def _known_names(self, number: str) -> dict[str, str]:
        """Return the known names of numbers that databases write in other ways, by conditions."""
        rule = self.cell.rule
        known = rule.values if isinstance(rule, Group) else self.cell.known
        return {
            f"{number} = {self.ways.number(value)}": self.ways.text(name)
            for name, value in named_numbers(known).items()
            if _is_written_otherwise(name, value)
        }

    def _clock(self, reading: Reading) -> str:
        """Return a date as the number YYYYMMDDHHMMSS, NULL if the cell is none."""
        written = []
        if isinstance(reading.writing, DateWriting):
            written = [self._written_clock(reading.writing)]
        elif reading.writing is not None:
            raise self.cell.refuse(
                "SQL cannot read dates with the name of a month",
                "store them as dates in the table, and fit on such a column",
            )
        ways, bare = self.ways, self.bare
        typed = ways.as_double.format(cell=ways.clock.format(cell=self.own))
        digits = f"RPAD({ways.without(f'SUBSTR({bare}, 1, 19)', '[^0-9]')}, 14, '0')"
        moment = f"CAST({self._canonical_time()} AS {ways.types[Kind.INSTANT]})"
        zoned = ways.as_double.format(cell=ways.clock.format(cell=moment))
        cases = [
            *written,
            # Python reads no date that begins with a blank.
            f"WHEN SUBSTR({self._texts(reading)}, 5, 1) <> '-' THEN NULL",
            f"WHEN {ways.is_match(bare, _UTC_DATE)} THEN {ways.as_double.format(cell=digits)}",
            f"WHEN {ways.is_match(bare, _ZONED_DATE)} THEN {zoned}",
        ]
        return self._by_type(reading, typed, cases, "NULL")

    def _canonical_time(self) -> str:
        """Return a time with a zone as all databases read it: YYYY-MM-DD HH:MM:SS+HH:MM."""
        ways, bare = self.ways, self.bare
        time = ways.without(bare, "([.,][0-9]+)?[+-][0-9:]*$")
        time = f"RPAD({ways.without(time, '[^0-9]')}, 14, '0')"
        zone = f"RPAD({ways.without(ways.without(bare, '^.*[+-]'), ':')}, 4, '0')"
        hour, minute, second = (f"SUBSTR({time}, {place}, 2)" for place in (9, 11, 13))
        sign = f"CASE WHEN {ways.matches.format(text=bare, pattern=ways.text('[+]'))} "
        sign += "THEN '+' ELSE '-' END"
        clock = " || ':' || ".join([hour, minute, second])
        hours, minutes = f"SUBSTR({zone}, 1, 2)", f"SUBSTR({zone}, 3, 2)"
        day = f"SUBSTR({bare}, 1, 10)"
        return f"{day} || ' ' || {clock} || {sign} || {hours} || ':' || {minutes}"

    def _written_clock(self, writing: DateWriting) -> str:
        """Return the case of dates that are written so."""
        ways, bare = self.ways, self.bare
        places = _PLACES[writing.order]
        sizes = sorted(zip(places, ("{4}", "{1,2}", "{1,2}"), strict=True))
        digits = [f"[0-9]{size}" for _, size in sizes]
        dates = "|".join(f"[{mark}]".join(digits) for mark in "-/.")
        gap = f"(,?[{BLANKS}]+|T)"
        pattern = f"({dates})({gap}({_CLOCK_24}|{_CLOCK_12}))?"
        day = ways.without(bare, f"[T,{BLANKS}].*$")
        day = f"REPLACE(REPLACE({day}, '/', '-'), '.', '-')"
        year, *others = (ways.piece.format(text=day, mark="'-'", place=place) for place in places)
        iso = " || '-' || ".join([year, *(f"LPAD({part}, 2, '0')" for part in others)])
        time = ways.without(bare, f"^[^T,{BLANKS}]*{gap}?")
        hour, *rest = (ways.piece.format(text=time, mark="':'", place=place) for place in (1, 2, 3))
        # The zero is for times that are not there.
        hours, minutes, seconds = (
            ways.as_double.format(cell=f"'0' || {part}")
            for part in (hour, *(f"SUBSTR({part}, 1, 2)" for part in rest))
        )
        is_early, is_late = (
            ways.matches.format(text=time, pattern=ways.text(half)) for half in ("[Aa]", "[Pp]")
        )
        hours = (
            f"CASE WHEN {is_late} AND {hours} < 12 THEN {hours} + 12 "
            f"WHEN {is_early} AND {hours} = 12 THEN 0 ELSE {hours} END"
        )
        number = ways.as_double.format(cell=f"REPLACE({iso}, '-', '')")
        return (
            f"WHEN {ways.is_match(bare, pattern)} AND {ways.is_match(iso, _DAYS)} "
            f"THEN {number} * 1e6 + {hours} * 1e4 + {minutes} * 1e2 + {seconds}"
        )


def _is_written_otherwise(name: str, number: float) -> bool:
    """Return whether some database writes a number in another way than Python."""
    if number.is_integer():
        return abs(number) >= 1e18
    return len(name) > EXACT_DIGITS or not 1e-3 <= abs(number) < 1e7


def _last_clock(edge: float, unit: str) -> float:
    """Return the last moment of a period, as the number YYYYMMDDHHMMSS."""
    whole = int(edge)
    if unit == PERIODS[0]:
        day = f"{whole:04}1231"
    elif unit == PERIODS[1]:
        day = f"{whole // 12:04}{whole % 12 + 1:02}31"
    elif unit == PERIODS[2]:
        day = f"{date.fromordinal(whole):%Y%m%d}"
    else:
        moment = datetime.fromordinal(whole // 86400) + timedelta(seconds=whole % 86400)
        return float(f"{moment:%Y%m%d%H%M%S}")
    return float(f"{day}235959")


def _digits_of(unit: str, above: str) -> str:
    """Return a part of the number YYYYMMDDHHMMSS, from one power of ten up to another."""
    return f"FLOOR({{clock}} / {unit}) - 100 * FLOOR({{clock}} / {above})"


_HOUR, _MONTH, _DAY = _digits_of("1e4", "1e6"), _digits_of("1e8", "1e10"), _digits_of("1e6", "1e8")
_YEAR = "FLOOR(({clock} - 3e8) / 1e10)"
"""Of years that begin with March."""

_MONTH_SHIFT = (
    "CASE "
    + _MONTH
    + "".join(
        f" WHEN {month} THEN {shift}"
        for month, shift in enumerate((0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4), start=1)
    )
    + " END"
)
_DAYS_ON = (
    f"({_YEAR} + FLOOR({_YEAR} / 4e0) - FLOOR({_YEAR} / 100e0) + FLOOR({_YEAR} / 400e0) "
    f"+ {_MONTH_SHIFT} + {_DAY} + 6)"
)
_WEEKDAY = f"{_DAYS_ON} - 7 * FLOOR({_DAYS_ON} / 7e0)"
"""Sakamoto's rule for the day of the week, from Monday = 0 on."""
