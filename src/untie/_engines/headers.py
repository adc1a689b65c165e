"""Rows of texts -> which of them have the names of the columns, and what the names are."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Cells = Sequence[str]

MOST_TITLES = 30
"""At most this many rows above the names are taken for titles."""

COMPARED = 200
"""At most this many rows are compared to find the names."""

WIDE = 4
"""A single cell above a row of this many names is a title, whatever it says."""

_VALUE = re.compile(r"[-+$€£]?[\d.,:/\s-]*\d[\d.,:/\s-]*[%$€£]?")
"""A number, an amount, a date or a time."""

_MISSING = frozenset({"na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "none", "?", "-", "--"})
"""Texts of missing cells, which are no names."""

_YEAR = re.compile(r"(1[89]|20)\d\d")


@dataclass(frozen=True)
class Header:
    """Where the names of columns are.

    Parameters
    ----------
    start : int
        The first row with names, from 0.
    depth : int
        2 where names are in two rows, the upper one for several columns each; 3 where pandas writes
        the name of the index below them; otherwise 1.
    """

    start: int
    depth: int = 1


def find_header(rows: Sequence[Cells], is_read: bool | None = None) -> Header | None:
    """Return where the names are, if there is evidence that they are not in the first row alone.

    Rows above the names hold a title: a single cell, or a few cells and then an empty row. A table
    that can be read with its first row as the names needs more evidence than one that can't.

    Parameters
    ----------
    rows : sequence of rows of texts
        The first rows of the table, empty ones among them.
    is_read : bool, optional
        Whether the table can be read with its first row as the names; by default if most rows have
        as many cells as that one.

    Examples
    --------
    >>> find_header([["Sales 2024"], [], ["color", "n"], ["red", "1"]])
    Header(start=2, depth=1)
    >>> find_header([["", "2023", ""], ["who", "n", "m"], ["x", "1", "2"]])
    Header(start=1, depth=1)
    >>> find_header([["who", "2023", ""], ["", "n", "m"], ["x", "1", "2"]])
    Header(start=0, depth=2)
    >>> find_header([["who", "sales", ""], ["", "2023", "2024"], ["x", "1", "2"]])
    Header(start=0, depth=2)
    >>> find_header([["color", "n"], ["red", "1"]]) is None
    True
    """
    rows = rows[: MOST_TITLES + COMPARED]
    filled = [n_filled(cells) for cells in rows]
    width = _usual_width(rows)
    first = next((place for place, n in enumerate(filled) if n), 0)
    if width < 2:
        return None
    if is_read is None:
        is_read = len(rows[first]) == width
    place = _find_names(rows, width, is_read)
    if place is None:
        return None
    names, below = rows[place], rows[place + 1 :]
    header = Header(place)
    if place > first and _are_groups(rows[place - 1], names, below):
        header = Header(place - 1, 2)
    elif below and _are_groups(names, below[0], below[1:]):
        header = Header(place, 2)
    third = rows[header.start + 2 :][:1] if header.depth > 1 else []
    if third and _are_names_of_index(joined_names(rows, header), third[0]):
        header = Header(header.start, 3)
    titles, last = rows[first : header.start], header.start + header.depth - 1
    if header == Header(first):
        return None
    is_found = not titles or _are_titles(titles, rows[last], rows[last + 1 :], is_read)
    return header if is_found else None


def _find_names(rows: Sequence[Cells], width: int, is_read: bool) -> int | None:
    """Return the first row that may be names; in a title, a sentence may look like a row of them.

    A later one is better where an empty row is between them, and it alone has numbers below. If no
    row has, which of them has the names is not known.
    """
    last = min(len(rows) - 1, MOST_TITLES)
    places = (p for p in range(last) if len(rows[p]) == width and _are_names(rows[p]))
    first = next(places, None)
    if first is None or is_read or _has_numbers_below(rows[first], rows[first + 1 :]):
        return first
    empty = next((p for p in range(first, last) if not n_filled(rows[p])), last)
    better = (p for p in places if p > empty and _has_numbers_below(rows[p], rows[p + 1 :]))
    return next(better, first if empty == last else None)


def find_other_names(rows: Sequence[Cells], header: Header) -> int | None:
    """Return a row below the names that may be the names, if there is one: it has numbers below.

    An empty row is above it, or the names that were found, one of which is a number.
    """
    rows, last = rows[: MOST_TITLES + COMPARED], header.start + header.depth - 1
    width = len(rows[header.start]) if rows else 0
    may_be = header.depth == 1 and width > 1 and not _are_names(rows[header.start])
    for place in range(last + 1, min(MOST_TITLES, len(rows))):
        cells, below = rows[place], rows[place + 1 :]
        are_names = len(cells) == width and _are_names(cells) and not _has_missing(cells)
        if may_be and are_names and _has_numbers_below(cells, below):
            return place
        may_be = not n_filled(cells)
    return None


def n_filled(cells: Cells) -> int:
    """Return how many cells are not blank."""
    return sum(bool(cell.strip()) for cell in cells)


def _usual_width(rows: Sequence[Cells]) -> int:
    """Return how many cells most rows have; the larger number if it is undecided."""
    widths = Counter(len(cells) for cells in rows if n_filled(cells))
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _are_names(cells: Cells) -> bool:
    """Return whether most cells are filled, and none with a number, but for several years."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    values = [cell for cell in filled if _VALUE.fullmatch(cell)]
    are_years = len(values) > 1 and all(_YEAR.fullmatch(cell) for cell in values)
    return len(filled) > max(1, len(cells) / 2) and (not values or are_years)


def _has_missing(cells: Cells) -> bool:
    """Return whether a cell is the text of a missing one."""
    return any(cell.strip().lower() in _MISSING for cell in cells)


def _has_numbers_below(names: Cells, below: Sequence[Cells]) -> bool:
    """Return whether a column has a name that is no number, and nothing but numbers below.

    A year is such a name above numbers that are no years.
    """
    for place, name in enumerate(_stripped(names)):
        cells = [row[place].strip() for row in below if place < len(row)]
        cells = [cell for cell in cells if cell]
        is_year = bool(_YEAR.fullmatch(name))
        if not name or not cells or (_VALUE.fullmatch(name) and not is_year):
            continue
        if is_year and all(map(_YEAR.fullmatch, cells)):
            continue
        if all(map(_VALUE.fullmatch, cells)):
            return True
    return False


def _are_titles(
    titles: Sequence[Cells], names: Cells, below: Sequence[Cells], is_read: bool
) -> bool:
    """Return whether rows above the names hold no rows of the table."""
    width = len(names)
    filled = [n_filled(cells) for cells in titles]
    last_empty = max((place for place, n in enumerate(filled) if not n), default=-1)
    for place, n in enumerate(filled):
        if n > 1 and (place > last_empty or (is_read and n > width / 2)):
            return False
    texts = [next((cell.strip() for cell in cells if cell.strip()), "") for cells in titles]
    texts = [text for text in texts if text]
    if last_empty > 0 or all(text.startswith(("#", "%")) for text in texts):
        return True
    if _has_numbers_below(names, below):
        return True
    return not is_read and (width >= WIDE or (width > 2 and any(" " in text for text in texts)))


def _are_groups(above: Cells, names: Cells, below: Sequence[Cells]) -> bool:
    """Return whether a row has names for several columns each, and the next one the columns' own.

    Spreadsheets write the name of merged cells into the first of them, pandas into each. A row of
    the table may look like a row of names below a name that occurs twice; two such groups, or a
    column without a name in the lower row alone, are evidence that it is none.
    """
    upper, own = _stripped(above), _stripped(names)
    texts = [name for name in own if name]
    if len(upper) != len(own) or n_filled(upper) < 2 or not texts:
        return False
    values = [text for text in texts if _VALUE.fullmatch(text)]
    are_years = len(values) > 1 and all(map(_YEAR.fullmatch, values))
    if (values and not are_years) or _has_missing(texts):
        return False
    first = next(place for place, name in enumerate(upper) if name)
    groups: list[tuple[str, list[str]]] = []
    for name, other in zip(upper[first:], own[first:], strict=True):
        if not (name or other):
            return False
        if groups and name in ("", groups[-1][0]):
            groups[-1][1].append(other)
        else:
            groups.append((name, [other]))
    n_spanning = sum(len(set(filter(None, others))) > 1 for _, others in groups)
    has_blank = not all(own[:first]) or any(others == [""] for _, others in groups)
    is_evident = n_spanning > 1 or (n_spanning == 1 and has_blank)
    return is_evident and _has_numbers_below(names, below)


def _are_names_of_index(names: Cells, cells: Cells) -> bool:
    """Return whether a row below has names for just those columns that have none."""
    texts = _stripped(cells)
    pairs = list(zip(names, texts, strict=False))
    is_named = all(bool(text) != bool(name) for name, text in pairs)
    return any(texts) and len(texts) == len(names) and is_named


def _stripped(cells: Cells) -> list[str]:
    return [cell.strip() for cell in cells]


def joined_names(rows: Sequence[Cells], header: Header) -> list[str]:
    """Return the names of columns as they are written, those of several rows joined.

    Examples
    --------
    >>> joined_names([["who", "2023", ""], ["", "n", "m"]], Header(0, 2))
    ['who', '2023 n', '2023 m']
    >>> joined_names([["", "a", "a"], ["", "n", "m"], ["who", "", ""]], Header(0, 3))
    ['who', 'a n', 'a m']
    """
    names = _stripped(rows[header.start])
    if header.depth == 1:
        return names
    joined, group = [], ""
    for above, own in zip(names, rows[header.start + 1], strict=True):
        group = above or group
        joined.append(f"{group} {own.strip()}".strip())
    if header.depth > 2:
        below = _stripped(rows[header.start + 2])
        joined = [name or text for name, text in zip(joined, below, strict=True)]
    return joined


def own_names(names: Iterable[str], unnamed: str = "column{0}") -> tuple[list[str], dict[int, str]]:
    """Return names of which none occurs twice, whatever the case of its letters.

    Parameters
    ----------
    names : iterable of str
        The names, which may be blank.
    unnamed : str
        What a column without a name is called; its number goes into the braces, from 0.

    Returns
    -------
    names : list of str
        The names.
    renamed : dict from int to str
        The columns that have another name because an earlier one has theirs, and the new name.

    Examples
    --------
    >>> own_names(["a", "b", "A", ""])
    (['a', 'b', 'A_1', 'column3'], {2: 'A_1'})
    """
    given = [name.strip() for name in names]
    written, taken = {name.lower() for name in given}, set()
    made: list[str] = []
    renamed: dict[int, str] = {}
    for place, name in enumerate(given):
        base = name or unnamed.format(place)
        found, n = base, 0
        while found.lower() in taken or ((n or not name) and found.lower() in written):
            n += 1
            found = f"{base}_{n}"
        if n and name:
            renamed[place] = found
        taken.add(found.lower())
        made.append(found)
    return made, renamed


def is_row(header: Cells, rows: Sequence[Cells]) -> bool:
    """Return whether each name is a number, or a cell of its column in the rows below.

    Numbers are names if they are positions, such as pandas writes, or years.
    """
    named = {place: name for place, name in enumerate(header) if name.strip()}
    numbers = {place: n for place, name in named.items() if (n := _number(name)) is not None}
    if _are_positions(list(numbers.values()), len(named)) or _are_years(header, numbers, rows):
        return False
    sought = [place for place in named if place not in numbers]
    if not sought:
        return bool(named)
    for row in rows:
        sought = [p for p in sought if p >= len(row) or row[p] != named[p]]
        if not sought:
            return True
    return False


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _are_positions(numbers: Sequence[float], n_named: int) -> bool:
    """Return whether numbers count all named columns, from 0 or 1."""
    return 1 < len(numbers) == n_named and any(
        all(number == start + place for place, number in enumerate(numbers)) for start in (0, 1)
    )


def _are_years(header: Cells, places: Iterable[int], rows: Sequence[Cells]) -> bool:
    """Return whether some names are years in a row, and the cells below them are no years."""
    texts = {place: header[place].strip() for place in places}
    if len(texts) < 2 or not all(map(_YEAR.fullmatch, texts.values())):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(texts.values())}
    cells = [row[place].strip() for row in rows for place in texts if place < len(row)]
    below = [cell for cell in cells if cell]
    return steps in ({1}, {-1}) and not (below and all(map(_YEAR.fullmatch, below)))
