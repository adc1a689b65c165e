"""Columns of cells that list several answers, such as "bus;bike" -> a column for each answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import entropy

from untie._prepare.deciding import MOSTLY, Options
from untie._prepare.look import Summary
from untie._prepare.note import SPLIT, Note, Reason, Reasons
from untie._prepare.numbers import as_number
from untie._prepare.rules import (
    AUTO,
    Answer,
    Answered,
    Listing,
    Reading,
    Rule,
    as_read,
    as_text,
    count_missing,
    find_texts_of_missing,
    find_writing,
    split_answers,
)
from untie._util.arrays import leading_digits
from untie._util.messages import Parameter, listed, message

SEPARATORS = (";", "|", ",", "\n")
"""What separates answers, unless the user says otherwise; the first that fits is taken."""

MOST_ANSWERS = 30
"""At most this many columns are made of one, that of all rarer answers included."""

RARE = 0.01
"""Answers of a smaller share of the rows are among those that share a column."""

SEVERAL = 0.1
"""At least this share of the cells lists several answers."""

FEWEST_SEVERAL = 10
"""So do at least this many rows."""

SAME_NUMBER = 0.9
"""Where more cells than this have equally many parts, these are fields, as in "Doe, John"."""

SAME_PLACE = 0.98
"""Where more of the parts have the same place in all cells, these are fields, too."""

REPEATED = 0.01
"""A larger share of the lists repeats no answer; sequences do."""

FEWEST_ANSWERS = 3
"""Fewer answers than this are categories, as their combinations are few."""

ROWS_PER_ANSWER, RECURS = 3, 0.005
"""An answer recurs if it is in at least this many rows, and in this share of them."""

HALF = 0.5
"""The answers with a column each are at least this share of all that were given."""

CELLS_PER_ANSWER = 1.5
"""There are at least this many combinations per recurring answer, or they are values."""

LONGEST_ANSWER = 60
"""Parts that are longer on average are text."""

MARKUP = ("[", "{", "<", "(", '"')
"""What begins as these is written for programs."""

SURE_DIGITS = 9
"""Weights of answers that agree in this many digits are equal: they are rounded sums."""

OTHERS, ANY = "other answers", "any answer"
"""What the columns of rare answers, and of whether there is any, are called."""


@dataclass(frozen=True, eq=False)
class Lists:
    """The cells of a column, taken as lists.

    Parameters
    ----------
    seen : Summary
        The column's values, texts of missing cells left out.
    separator : str
        What separates the answers of a cell.
    """

    seen: Summary
    separator: str

    @cached_property
    def cells(self) -> list[list[str]]:
        """The answers of each distinct cell."""
        return [split_answers(as_text(value), self.separator) for value in self.seen.values]

    def summed(self, of_cells: Sequence[float]) -> Counter[str]:
        """Return the sum over the cells that have it for each answer."""
        found: Counter[str] = Counter()
        for cell, n in zip(self.cells, of_cells, strict=True):
            found.update(dict.fromkeys(cell, n))
        return found

    @cached_property
    def rows(self) -> Counter[str]:
        """The number of rows that have each answer."""
        return self.summed(self.seen.rows.tolist())

    @cached_property
    def n_rows(self) -> float:
        """The number of rows with an answer."""
        return float(self.seen.rows.sum())

    def recurring(self, least: float = 0.0) -> list[str]:
        """Return the answers that are in several rows, and in some share of all."""
        fewest = max(ROWS_PER_ANSWER, least * self.n_rows)
        return [answer for answer, n in self.rows.items() if n >= fewest]

    def share_of(self, answers: Collection[str]) -> float:
        """Return the share of some answers among all that were given."""
        return sum(self.rows[answer] for answer in answers) / max(self.rows.total(), 1.0)

    @property
    def are_lists(self) -> bool:
        """Whether the cells have the form of lists of answers.

        Enough have several, of differing number, hardly ever one twice, and they are short.
        """
        sizes = np.array([len(cell) for cell in self.cells])
        distinct = np.array([len(set(cell)) for cell in self.cells])
        rows, is_several = self.seen.rows, sizes > 1
        n_several = float(rows[is_several].sum())
        if n_several < max(FEWEST_SEVERAL, SEVERAL * self.n_rows):
            return False
        if np.bincount(sizes, rows).max() > SAME_NUMBER * self.n_rows:
            return False
        if rows[distinct < sizes].sum() > REPEATED * n_several or self.have_places:
            return False
        n_given = self.rows.total()
        if sum(len(answer) * n for answer, n in self.rows.items()) > LONGEST_ANSWER * n_given:
            return False
        return not any(answer.startswith(MARKUP) or "://" in answer for answer in self.recurring())

    @property
    def have_places(self) -> bool:
        """Whether each part has a place of its own, as in "Elm Rd, Rome" and "Oak St, Rome, Apt 1".

        Parts of one place exclude each other; answers do not, and move up where others are absent.
        """
        found: dict[str, Counter[int]] = {answer: Counter() for answer in self.recurring()}
        for cell, n in zip(self.cells, self.seen.rows.tolist(), strict=True):
            for place, answer in enumerate(cell):
                if answer in found:
                    found[answer][place] += n
        own = {name: max(sorted(at), key=at.__getitem__) for name, at in found.items()}
        n_at_own = sum(at[own[name]] for name, at in found.items())
        n_parts = Counter(own.values())
        is_same = n_at_own > SAME_PLACE * sum(at.total() for at in found.values())
        return is_same and min(n_parts[0], n_parts[1]) > 1

    @property
    def are_numbers(self) -> bool:
        """Whether most parts are numbers, which a comma may have cut."""
        numbers = [answer for answer in self.rows if as_number(answer) is not None]
        return self.share_of(numbers) > HALF

    def are_of(self, answers: Collection[str]) -> bool:
        """Whether some answers are most that were given, and fewer than their combinations."""
        is_enough = len(answers) >= FEWEST_ANSWERS and self.share_of(answers) >= MOSTLY
        n_different = len(set(map(frozenset, self.cells)))
        return is_enough and n_different >= CELLS_PER_ANSWER * len(answers)

    @cached_property
    def frequent(self) -> list[str]:
        """The answers with a column each, the most frequent first.

        Names do not decide which of equally frequent ones these are, unless all are.
        """
        weights = self.summed(self.seen.weights.tolist())
        settled = leading_digits(np.array([weights[name] for name in self.rows]), SURE_DIGITS)
        of_answer = dict(zip(self.rows, settled.tolist(), strict=True))
        ranked = sorted(self.rows, key=lambda answer: (-of_answer[answer], answer))
        least = RARE * float(self.seen.weights.sum())
        kept = [answer for answer in ranked if of_answer[answer] >= least]
        if len(ranked) <= MOST_ANSWERS and len(ranked) - len(kept) <= 1:
            return ranked
        if len(kept) >= MOST_ANSWERS:
            bound = of_answer[kept[MOST_ANSWERS - 1]]
            above = [answer for answer in kept if of_answer[answer] > bound]
            kept = above or kept[: MOST_ANSWERS - 1]
        return kept or ranked[: MOST_ANSWERS - 1]

    @cached_property
    def weight(self) -> float:
        """The weight of each answer, so that all have as much as their combinations in one column.

        It is the entropy of the combinations divided by the sum of those of the answers: 1 where
        the answers are independent of each other.
        """
        known = frozenset(self.frequent)
        found: Counter[tuple[bool, ...]] = Counter()
        for cell, weight in zip(self.cells, self.seen.weights.tolist(), strict=True):
            if cell:
                has_other = not known.issuperset(cell)
                found[(*(answer in cell for answer in self.frequent), has_other)] += weight
        patterns = sorted(found)  # sums do not depend on the order of the rows
        weights = leading_digits(np.array([found[own] for own in patterns]), SURE_DIGITS)
        shares = weights / weights.sum()
        picked = shares @ np.array(patterns)
        apart = entropy(np.stack([picked, 1.0 - picked])).sum()
        return float(min(1.0, entropy(shares) / apart)) if apart > 0 else 1.0


@dataclass(frozen=True)
class Split:
    """What becomes of a column of lists.

    Parameters
    ----------
    rules : mapping from names to rules
        What makes the columns of its answers.
    note : Note
        What is said of it.
    weight : float
        The weight of each of these columns.
    """

    rules: Mapping[str, Rule]
    note: Note
    weight: float


def split_column(column: str, seen: Summary, options: Options) -> Split | Reasons:
    """Return a column for each answer of a column of lists.

    Parameters
    ----------
    column : str
        Its name.
    seen : Summary
        Its values.
    options : Options
        What the user asked for.

    Returns
    -------
    Split, or reasons
        Reasons, mostly none, for the note of a column that is not split.
    """
    is_named = options.sets != AUTO and column in options.sets
    if seen.problem or column in options.categorical or not (is_named or options.sets == AUTO):
        return {}
    texts = find_texts_of_missing(seen, options.missing)
    reading = Reading(texts)
    read = as_read(seen, reading)
    if is_named:
        given = options.sets[column] if isinstance(options.sets, Mapping) else None
        lists = Lists(read, _separator_of(column, read, given))
    else:
        found, more = _find_lists(read, options)
        if found is None:
            return more
        lists = found
    if not lists.rows:
        return {}
    rules = _columns_of(column, lists, reading)
    if not rules:  # every row has the same answers
        return {}
    counts = count_missing(seen, texts)
    made = [rule for rule in rules.values() if isinstance(rule, Answer)]
    n, n_known = sum(rule.answer is not None for rule in made), len(lists.frequent)
    said = {
        "n": n,
        "n_merged": len(lists.rows) - n_known,
        "n_same": n_known - n,
        "has_any": len(made) < len(rules),
        "separator": lists.separator,
    }
    note = Note(column, SPLIT, {Reason.ANSWERS: {**said, "columns": list(rules)}})
    missing = {"counts": counts, "is_sample": seen.scale > 1}
    note = note.also({Reason.READ_AS_MISSING: missing} if counts else {})
    return Split(rules, note, lists.weight)


def _find_lists(seen: Summary, options: Options) -> tuple[Lists | None, Reasons]:
    """Return the lists of a column, if it seems to have some, or what to say if it may."""
    able = [value for value in seen.values if isinstance(value, str)]
    is_other = any(not isinstance(value, str | int | float) for value in seen.values)
    if is_other or not able:
        return None, {}
    for separator in SEPARATORS:
        is_several = np.array([isinstance(v, str) and separator in v for v in seen.values])
        if seen.rows[is_several].sum() < max(FEWEST_SEVERAL, SEVERAL * seen.rows.sum()):
            continue
        lists = Lists(seen, separator)
        if not lists.are_lists or (separator == "," and lists.are_numbers):
            continue
        if find_writing(seen.values, options.day_first) is not None:
            return None, {}
        if lists.are_of(lists.recurring(RECURS)) and lists.share_of(lists.frequent) >= HALF:
            return lists, {}
        if len(lists.rows) > MOST_ANSWERS and lists.are_of(lists.recurring()):
            most = {"n": len(lists.rows), "separator": separator, "most": MOST_ANSWERS - 1}
            return None, {Reason.MANY_ANSWERS: most}
    return None, {}


def _separator_of(column: str, seen: Summary, given: str | None) -> str:
    """Return what separates the answers of a column that the user says has lists.

    It is what the user says, or else what most cells have.
    """
    texts = list(map(as_text, seen.values))
    if given is not None and (not texts or any(given in text for text in texts)):
        return given
    rows = {
        separator: sum(
            n for text, n in zip(texts, seen.rows.tolist(), strict=True) if separator in text
        )
        for separator in SEPARATORS
    }
    there = sorted(filter(rows.get, rows), key=lambda separator: -rows[separator])
    if there and given is None:
        return there[0]
    wanted = repr(given) if given else f"one of {', '.join(map(repr, SEPARATORS))}"
    have = f"they have {listed(list(map(repr, there)))}; " if there else ""
    example = next(one for one in (*there, " / ", " + ") if one != given)
    own = Parameter("sets", {column: example}, owner="Preparer")
    said = "{sets} names the column {0}, but none of its cells has {1}; {2}name what "
    more = "separates its answers: {3}."
    raise ValueError(message(said + more, repr(column), wanted, have, own))


def _columns_of(column: str, lists: Lists, reading: Reading) -> dict[str, Rule]:
    """Return the rules of the columns of a column's answers, by the columns' names."""
    known, listing = tuple(lists.frequent), Listing(lists.separator, reading)
    has_others = len(known) < len(lists.rows)
    # What a sample has not seen is no error.
    may_be_new = not has_others and lists.seen.scale == 1
    n_rows = lists.n_rows + lists.seen.n_missing
    varying = [name for name in known if lists.rows[name] < n_rows]  # others are in every row
    rules: dict[str, Rule] = {
        answer_name(column, answer): Answer(answer, known, listing, may_be_new and not place)
        for place, answer in enumerate(varying)
    }
    if has_others:
        name = _unlike(answer_name(column, OTHERS), rules)
        rules[name] = Answer(None, known, listing)
    if lists.seen.n_missing >= RARE * n_rows > 0:
        rules[_unlike(answer_name(column, ANY), rules)] = Answered(listing)
    return rules


def _unlike(name: str, others: Collection[str]) -> str:
    """Return a name that is none of others."""
    return name if name not in others else _unlike(f"{name} (2)", others)


def answer_name(column: str, answer: str) -> str:
    """Return what the column of an answer is called.

    Examples
    --------
    >>> answer_name("speaks", "Dutch")
    'speaks: Dutch'
    """
    return f"{column}: {answer}"
