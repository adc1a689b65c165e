"""Counts and samples of the rows of a table that comes in chunks."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from untie import Preparer
from untie._engines.registry import open_table
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
