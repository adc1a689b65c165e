"""Cells as people write them, at the command."""

import random
from datetime import date, timedelta

import pytest

from command_cases import ask, refused, rows_of
from untie import load_model


@pytest.fixture
def sales(tmp_path):
    """Write a table with prices, days that may begin with the month, and gaps."""
    rng = random.Random(5)
    path = tmp_path / "sales.csv"
    with open(path, "w") as file:
        file.write("price;bought;sold;kind;shade\n")
        for number in range(240):
            kind = number % 2
            price = f"{1000 * kind + 500 * rng.random():.2f} €".replace(".", ",")
            bought = date(2024, 1, 1) + timedelta(days=rng.randrange(300))
            sold = f"{rng.randrange(1, 13)}/{rng.randrange(1, 13)}/2024"
            shade = rng.choice([["red", "?"], ["blue", "green"]][kind])
            file.write(f"{price};{bought:%d.%m.%Y};{sold};{'ab'[kind]};{shade}\n")
    return path


def finished(*arguments):
    answer = ask(*arguments)
    assert answer.exit_code == 0, answer.stderr
    return answer.stdout, answer.stderr


def test_cells_are_read_and_said(sales, tmp_path):
    model = tmp_path / "m.untie"
    _, err = finished("fit", sales, "-o", model, "--k", 2)
    assert "price: binned into 29 ranges; read as numbers in '€', with ',' before decimals" in err
    assert "bought: binned into" in err
    assert "read as dates, day first, such as '" in err
    assert "sold: " in err
    assert "the day or the month comes first; say so with --day-first or --month-first" in err
    assert "shade: kept, read as missing: '?' (" in err
    assert "--missing none" in err
    # The model reads new rows in the same way.
    new = tmp_path / "new.csv"
    new.write_text("price;bought;sold;kind;shade\n1.200,00 €;03.02.2024;1/2/2024;b;?\n")
    out, err = finished("transform", model, new)
    assert len(rows_of(out)) == 1
    preparer = load_model(model).preparer_
    assert preparer.category("price", "1200,5 €") in preparer.ranges("price")
    assert preparer.category("bought", "03.02.2024") in preparer.ranges("bought")
    assert preparer.category("shade", "?") is None


def test_days_and_months(sales, tmp_path):
    _, err = finished("fit", sales, "-o", tmp_path / "m.untie", "--k", 2, "--day-first")
    assert "sold: binned into" in err
    assert "read as dates, day first, such as" in err.partition("sold: ")[2].partition("\n")[0]
    _, err = finished("fit", sales, "-o", tmp_path / "m.untie", "--k", 2, "--month-first")
    assert "read as dates, month first" in err.partition("sold: ")[2].partition("\n")[0]
    assert "read as dates, day first" in err.partition("bought: ")[2].partition("\n")[0]


def test_missing_can_be_switched_off(sales, tmp_path):
    _, err = finished("fit", sales, "-o", tmp_path / "m.untie", "--k", 2, "--missing", "none")
    assert "as missing" not in err
    assert load_model(tmp_path / "m.untie").preparer_.category("shade", "?") == "?"
    _, err = finished("fit", sales, "-o", tmp_path / "m.untie", "--k", 2, "--missing", "?,red")
    preparer = load_model(tmp_path / "m.untie").preparer_
    assert [preparer.category("shade", text) for text in ("?", "red", "blue")] == [
        None,
        None,
        "blue",
    ]


def test_parts_of_dates(sales, tmp_path):
    model = tmp_path / "m.untie"
    _, err = finished("fit", sales, "-o", model, "--k", 2, "--date-parts", "weekday,month")
    assert "also made into 'bought (weekday)', 'bought (month)'" in err
    assert load_model(model).preparer_.columns_[:4] == (
        "price",
        "bought",
        "bought (weekday)",
        "bought (month)",
    )
    out, _ = finished("transform", model, sales, "--format", "csv")
    assert len(rows_of(out)) == 240
    answer = ask("cluster", sales, "--k", 2, "--date-parts", "weekday", "--format", "csv", "-q")
    assert len(rows_of(answer.stdout)) == 240
    said = refused("fit", sales, "-o", model, "--date-parts", "year")
    assert "no part of dates 'year'" in said


def test_the_code_of_a_page_says_the_same(sales, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ("--k", 2, "--month-first", "--date-parts", "month", "--missing", "none", "-q")
    answer = ask("report", sales, *options, "-o", "report.html")
    assert answer.exit_code == 0, answer.output
    page = (tmp_path / "report.html").read_text()
    assert "--k 2 --missing none --month-first --date-parts month" in page
    assert "missing=[], day_first=False, date_parts=[&#39;month&#39;]" in page
