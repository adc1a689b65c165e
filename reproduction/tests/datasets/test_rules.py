import csv

from external_data import external_file
from untie_paper.datasets import load


def test_three_adjacent_ones():
    X, y = load("threeof9")
    assert len(X.drop_duplicates()) == len(X) == 512
    for bits, label in zip(X.itertuples(index=False), y, strict=True):
        run = longest = 0
        for bit in bits:
            run = run + 1 if bit == "1" else 0
            longest = max(longest, run)
        assert label == ("1" if longest >= 3 else "0")
    assert y.value_counts().to_dict() == {"0": 274, "1": 238}


def test_same_rows_as_the_file():
    with external_file("threeof9").open(newline="") as file:
        header, *rows = csv.reader(file)
    X, y = load("threeof9")
    assert [*X.columns, "class"] == header
    assert set(X.assign(label=y).itertuples(index=False, name=None)) == set(map(tuple, rows))
