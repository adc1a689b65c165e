"""Raw tables, and new rows of them, that every export is tried with; and what Python says of them.

A case has the columns of a table to learn from, more rows, and options of the preparer. The last
rows have missing, unseen and rare values, and numbers in every form that the preparer reads.
"""

import warnings
from datetime import UTC, date, datetime, timedelta, timezone
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa

from untie import Preparer, TableClusterer, TableEncoder

N = 96
KIND = [number % 2 for number in range(N)]


def by_kind(first, second):
    """Repeat values; rows of each kind have their own."""
    return [(second if kind else first)[n // 2 % len(first)] for n, kind in enumerate(KIND)]


NUMBERS = {
    "age": [None if n % 17 == 5 else float(20 + 40 * KIND[n] + n % 13) for n in range(N)],
    "a `count`": [3 * n + 500 * KIND[n] for n in range(N)],
    "few": [None if n % 19 == 3 else 0.5 * (n % 3) + KIND[n] for n in range(N)],
    'said "yes"': by_kind(["yes", "no", "yes"], ["no", "no", "maybe"]),
    "flag": [None if n % 23 == 2 else bool(KIND[n]) for n in range(N)],
}
NEW_NUMBERS = {
    "age": [float("nan"), None, -1e9, 1e9, 32.0, 32.5, 45.0, float("inf"), -float("inf"), 71.0],
    "a `count`": [0, 1, 7, 8, 9, 10, 500, 10**12, -5, 642],
    "few": [0.0, 0.5, 1.0, 7.5, None, 2.0, 1.5, 0.25, 1e300, 0.5],
    'said "yes"': ["yes", "no", None, "perhaps", "", "Yes", "None", "nan ", "it's", "maybe"],
    "flag": [True, False, None, True, False, True, True, False, None, False],
}

TEXTS = {
    "prix, €": [
        "n/a" if n % 13 == 4 else f"{n // 10 + 1}.{100 + 7 * n}" + ",50" * (n % 2) + " €"
        for n in range(N)
    ],
    "weight": ["unknown" if n % 16 == 7 else f"{n + 30 * KIND[n]}.5" for n in range(N)],
    "straße": [
        "?"
        if n % 21 == 3
        else ["O'Hara", "漢字 😀", "Mill \\ Lane", "{x}"][(n // 2 + KIND[n]) % 4]
        if n % 8
        else f"lane {n}"
        for n in range(N)
    ],
    "grade": by_kind(["1", "2.0", "10", "2.5"], ["3", "2", "10.0", "n/a"]),
    "answer": by_kind(["No", "No ", "perhaps not"], ["Yes", "No", " Yes"]),
    "code": by_kind(["007", "7", "x"], ["8B", "007", "n/a"]),
}
NEW_TEXTS = {
    "prix, €": [
        *("-1.000 €", "+ 2.125,25€", "\u22123.500 €", " 5.191\u00a0€ ", "7,5 €", "n/a", " n/a "),
        *("about 5 €", None, "", "12.50", "1e3", "1.2.3 €", "€ 5", "7" * 400 + "€", "5.000 \t€"),
    ],
    "weight": [
        *(
            "5.5",
            " 5.5",
            "5.",
            ".5",
            "+7",
            "-3e2",
            "0." + "0" * 400 + "1",
            "007",
            "unknown",
            "unknown ",
            "x",
        ),
        *(None, "-5e074204", "9" * 400, "1,5", "5e-9999"),
    ],
    "straße": [
        *("O'Hara", "O'Hara ", "o'hara", "漢字 😀", "Mill \\ Lane", "{x}", "lane 8", "lane 9"),
        *("?", " ? ", None, "other", "' OR 1=1 --", "", "nan", "None"),
    ],
    "grade": [
        *("1", "1.0", " 1 ", "01", "2.5", "2.50", "+2.5", "1e+01", "10.00", "n/a", "n/a ", None),
        *("2,5", "4", "-0", ".5"),
    ],
    "answer": [
        *("No", " No", "No\u3000", "Yes\t", "no", "perhaps not ", "perhaps  not", "", " ", None),
        *("NaN", "Yes", "\nNo", "No.", "None", "yes"),
    ],
    "code": [
        *("007", "7", "7.0", "07", "x", "X", "8B", " 8B", "n/a", "N/A", None, "", "-", "x ", "8b"),
        "7",
    ],
}

COMMAS = {
    "A": by_kind(["1,5", "2", "3"], ["2,25", "4", "1,5"]),
    "B": [f"{n},{n % 7 + 1}" for n in range(N)],
    "C": [f"${n + 1},{100 + 5 * n}" if n % 3 else f"${n + 1}" for n in range(N)],
    "D": by_kind(["p", "q", "p"], ["r", "r", "q"]),
    "rate": by_kind(["0.00001", "0.00005", "0.001"], ["0.01", "0.1", "0.00002"]),
}
NEW_COMMAS = {
    "A": ["1,50", "2,0", "1.500", "1.5", "1,2.3", "2", None, "+3", "04"],
    "B": ["12,5", "12.5", "-1,5", "1.234,5", "95,9", "nan", None, "5", "1 234,5"],
    "C": ["$5,000", "$ 5,000", "-$5", "$-5", "-$-5", "5", "US$5", "$12,34", "$5.25"],
    "D": ["p", "q", "r", "s", None, "p", "q", "P", "r"],
    "rate": [
        *("1e-5", "0.000010", "1E-05", "5e-05", "0.10", ".1", "0.10000000000000000555"),
        *("0.00003", None),
    ],
}

START = datetime(2023, 1, 30, 22)
PARIS = timezone(timedelta(hours=1))

DATES = {
    "day": [date(2020, 1, 1) + timedelta(days=n + 300 * KIND[n]) for n in range(N)],
    "moment": [START + timedelta(hours=17 * n, seconds=n) for n in range(N)],
    "instant": [
        None if n % 11 == 6 else (START + timedelta(days=40 * n)).replace(tzinfo=UTC)
        for n in range(N)
    ],
    "iso": ["n/a" if n % 9 == 2 else f"{1950 + n}-0{n % 9 + 1}-1{n % 10}" for n in range(N)],
    "written": [
        f"{n % 28 + 1}/{n % 12 + 1}/{2000 + n % 25} {n % 24}:{n % 60:02}" for n in range(N)
    ],
    "E": by_kind(["p", "q", "p"], ["r", "r", "q"]),
}
NEW_DATES = {
    "day": [date(1, 1, 1), date(9999, 12, 31), None, date(2020, 2, 29), date(2021, 1, 15)],
    "moment": [
        datetime(2023, 2, 28, 23, 59, 59, 999999),
        None,
        START,
        datetime(2024, 2, 29),
        START,
    ],
    "instant": [
        datetime(2026, 12, 31, 23, 30, tzinfo=UTC),
        datetime(2027, 1, 1, 0, 30, tzinfo=PARIS),
        None,
        datetime(1969, 7, 1, tzinfo=UTC),
        datetime(2030, 10, 27, 0, 30, tzinfo=UTC),
    ],
    "iso": [
        "2000-02-30",
        "1999-12-31T2330-02",
        "2001-05-05 10:00Z",
        "May 2001",
        "1996-02-29",
    ],
    "written": [
        "29/2/2023",
        "29.2.2024, 12:05 am",
        "1-1-2011T11:59:59.9 P.M.",
        "1/2-2003",
        "31/12/9999",
    ],
    "E": ["p", None, "s", "q", "r"],
}

ANSWERS = {
    "uses": [
        None if n % 12 == 7 else "n/a" if n % 24 == 1 else cell
        for n, cell in enumerate(
            by_kind(
                [" bus;bike", "bike;", "bus ;car;bike", "car;on foot"],
                ["train; tram", "tram", "bus;train", "on foot"],
            )
        )
    ],
    "it's said": by_kind(
        [".*|it's", 'a "b"|[^a|.*', "$1|漢字 😀|it's", "漢字 😀"],
        ["\\d+|x (y)", "x (y)", "{q}|\\d+|$1", "[^a|x (y)"],
    ),
    "rare": [
        f"kind {KIND[n]},{'odd' if n % 3 else 'even'}" + f",{n} times" * (n % 2) for n in range(N)
    ],
    "marks": by_kind(
        ["a / / b", "b / c", "c / a / b", "a"], ["b / \u3000c\u2003", "/ b", "c", "d / c"]
    ),
    "many": by_kind(["11;2", "2", "2;3", "11"], ["3;4", "3", "4;3;11", "4"]),
}
NEW_ANSWERS = {
    "uses": [
        *("bus", " bike ; bus; ", "bus;plane", "plane", " plane ; boat", "", " ; ;", ";", None),
        *("n/a", " n/a ", "n/a;bus", "Bus"),
        *("buses;tramway", "on  foot", "on foot ;car", "bus\u3000;\ttram"),
        "picked",
    ],
    "it's said": [
        *(".*", "it''s", "its|.*", 'a "b"', "a b|a 'b'", "[^a", "b", "$1|$2", "\\d+", "7|x y"),
        *("x (y) |{q}", "{q", "漢字 😀\n", "漢字|😀", "\nit's\n|", "||", None, "picked"),
    ],
    "rare": [
        *("kind 0,7 times", "kind 0", "7 times", "new", "new,even", ",", "kind 1, odd ,9 times"),
        *(None, "", "even", "odd,odd", "n/a", "kind 0;odd"),
        *("kind 1", " ", "kind 0,,x", "kind", "0"),
    ],
    "marks": [
        *("a / / b", "a / b", "a/b", " / a", "a / ", " / / "),
        *("/", "a /  b", "b / / / c", "a", None),
        *("/ b", "a / \u3000c", "d", "e / a", "\u00a0b\u2028 / x", "a\n / b", "picked / a"),
    ],
    "many": [
        *("11", "1", "2; 3", "11.0", "2.0;3", "112", "3 ;4", "", None, "5", "5;2", "-2", "02"),
        *("1;1", "4;4", " 4", "3,4", "2;;3"),
    ],
}
SEPARATORS = {"uses": ";", "it's said": "|", "rare": ",", "marks": " / ", "many": ";"}

PARTED = ["day", "instant", "written", "E"]

CASES = {
    "numbers": (NUMBERS, NEW_NUMBERS, {"bins": 7}),
    "texts": (TEXTS, NEW_TEXTS, {"bins": 7, "max_categories": 6}),
    "commas": (COMMAS, NEW_COMMAS, {"bins": 9}),
    "answers": (ANSWERS, NEW_ANSWERS, {"sets": SEPARATORS}),
    "dates": (DATES, NEW_DATES, {"bins": 5}),
    "date parts": (
        {name: DATES[name] for name in PARTED},
        {name: NEW_DATES[name] for name in PARTED},
        {"bins": 5, "date_parts": ["weekday", "month", "hour"]},
    ),
}
WITHOUT_DATES = [case for case in CASES if "date" not in case]


def frame(columns):
    """Return a frame that keeps each cell as it is."""
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})


@cache
def fitted(kind, case):
    """Return a preparer, an encoder or a clusterer of the table of a case."""
    columns, _, options = CASES[case]
    preparer = Preparer(columns=list(columns), **options)
    kinds = {
        "preparer": lambda: preparer,
        "encoder": lambda: TableEncoder(2, n_components=3, preparer=preparer),
        "clusterer": lambda: TableClusterer(3, preparer=preparer),
    }
    return kinds[kind]().fit(frame(columns))


def rows_of(case):
    """Return the rows to try: those learned from, and new ones."""
    columns, new, _ = CASES[case]
    return pd.concat([frame(columns), frame(new)], ignore_index=True)


def as_arrow(rows):
    """Return rows as an Arrow table with a key; NaN is a number, None is not."""
    columns = {name: pa.array(rows[name].tolist(), from_pandas=False) for name in rows}
    return pa.table({**columns, "row_id": range(len(rows))})


PARTS = ["cluster", "probability", "probabilities", "vectors"]


def check_prepared(case, found, rows=None, in_own_way=()):
    """Compare columns in the rows' order with those that `Preparer.transform` returns.

    Numbers of the columns `in_own_way` are compared as numbers: the database writes them otherwise.
    """
    rows = rows_of(case) if rows is None else rows
    expected = fitted("preparer", case).transform(rows)
    assert list(found) == list(expected)
    for name in expected:
        cells = [None if pd.isna(cell) else cell for cell in expected[name]]
        others = [None if cell is None or cell != cell else cell for cell in found[name]]
        if name in in_own_way:
            others, cells = ([cell and float(cell) for cell in part] for part in (others, cells))
        assert others == cells, name


def check_clustered(case, found, rows=None):
    """Compare an array of all PARTS, in the rows' order, with what the clusterer returns."""
    clusterer, rows = fitted("clusterer", case), rows_of(case) if rows is None else rows
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Nothing is known of")  # which is as it should be
        labels, shares = clusterer.predict(rows), clusterer.predict_proba(rows)
    vectors = clusterer.encoder_.transform(clusterer.preparer_.transform(rows))
    np.testing.assert_array_equal(found[:, 0], labels)
    np.testing.assert_allclose(found[:, 1], shares.max(axis=1), rtol=0, atol=1e-10)
    expected = np.hstack([shares, vectors])
    np.testing.assert_allclose(found[:, 2:], expected, rtol=0, atol=1e-10)
    assert len(set(labels)) > 1
