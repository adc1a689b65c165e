"""Counts and samples of the rows of a table that comes in chunks."""

from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from untie import Preparer
from untie._count.chunked import PiecePlace
from untie._engines.registry import open_table
from untie._engines.source import PartRows
from untie._prepare import look as look_module


@pytest.mark.parametrize("step", [1, 37, 1000])
def test_samples_do_not_depend_on_chunks(monkeypatch, step):
    monkeypatch.setattr(look_module, "EXACT_VALUES", 50)
    monkeypatch.setattr(look_module, "SAMPLE_ROWS", (100, 100))
    table = pa.table({"x": np.random.default_rng(0).normal(size=1000), "y": ["a", "b"] * 500})

    def found(size):
        batches = table.to_batches(max_chunksize=size)
        looked = look_module.Look(["x", "y"])
        for batch in batches:
            looked.add(look_module.read_table(batch), None)
        return looked.summaries()

    one, other = found(1000), found(step)
    assert 25 < len(one[0].values) <= 100
    for left, right in zip(one, other, strict=True):
        assert sorted(left.values) == sorted(right.values)
        assert left.rows.sum() * left.scale == pytest.approx(1000)
    assert one[1].rows.tolist() == [500, 500]


def test_ids_are_known_by_a_sample(monkeypatch):
    monkeypatch.setattr(look_module, "EXACT_VALUES", 50)
    monkeypatch.setattr(look_module, "SAMPLE_ROWS", (100, 100))
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "count": rng.permutation(1000),
            "name": [f"n{number}" for number in range(1000)],
            "measure": rng.integers(0, 300, 1000),
            "town": [f"t{number}" for number in rng.integers(0, 30, 1000)],
        }
    )
    notes = Preparer(max_categories=20).fit(frame).notes_
    assert [note.action for note in notes] == ["left out", "left out", "binned", "grouped"]


def test_a_table_in_memory_is_looked_at_in_pieces(monkeypatch):
    rows = pd.DataFrame({"x": ["a", "b", None] * 40, "y": list(range(120))})
    weights = np.arange(120) % 3

    def look():
        found = look_module.look_at(open_table(rows), ["x", "y"], weights)
        return [
            (s.values, s.rows.tolist(), s.weights.tolist(), s.n_missing) for s in found.summaries()
        ]

    whole = look()
    monkeypatch.setattr(look_module, "PIECE_ROWS", 7)
    assert look() == whole


def by_value(summary):
    """Return all of a summary, whatever the order of the values."""
    counted = zip(summary.rows.tolist(), summary.weights.tolist(), strict=True)
    values = dict(zip(summary.values, counted, strict=True))
    return values, summary.n_missing, summary.scale, summary.places


@pytest.mark.parametrize("weight", [None, "w"])
def test_looks_at_partitions_add_up_to_that_at_the_table(weight, monkeypatch):
    monkeypatch.setattr(look_module, "EXACT_VALUES", 50)
    monkeypatch.setattr(look_module, "SAMPLE_ROWS", (40, 40))
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "x": pa.array(rng.normal(size=300), mask=np.arange(300) % 97 == 5),
            "y": pa.array(
                [*["a", "b", None] * 99, "a", "b", "Total"], mask=np.arange(300) % 97 == 5
            ),
            "z": pa.array(rng.integers(0, 45, 300), mask=np.arange(300) % 97 == 5),
            "w": rng.integers(0, 3, 300),
        }
    )
    columns = ["x", "y", "z"]
    whole = look_module.look_at(open_table(table), columns, weight and table["w"].to_numpy())
    edges = [0, 0, 1, 120, 120, 299, 300]
    parts = [table[start:stop] for start, stop in pairwise(edges)]
    counting = int((table["w"].to_numpy() > 0).sum()) if weight else 300
    rows = PartRows({part: len(piece) for part, piece in enumerate(parts)}, counting)
    read = [*columns, "w"] if weight else columns
    task = look_module.LookTask(tuple(columns), weight, rows)
    looks = [
        task(piece.select(read), PiecePlace(part)) for part, piece in enumerate(parts) if len(piece)
    ]
    for found in (reduce(add, looks), looks[0] + (looks[1] + (looks[2] + looks[3]))):
        assert (found.n_empty, found.first_empty) == (whole.n_empty, whole.first_empty)
        assert [by_value(s) for s in found.summaries()] == [by_value(s) for s in whole.summaries()]
        ends, expected = (look.ends(str.istitle) for look in (found, whole))
        assert ends == expected
        assert ends[0] or weight
