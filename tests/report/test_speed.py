"""What makes reports fast gives the same as what is slow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from untie import TableEncoder
from untie._learn.contexts import contexts_of
from untie._prepare.look import Look
from untie._table.column_codes import factorize
from untie._table.frames import coded_once
from untie._table.rows import learn_vocabulary
from untie._table.table import read_table
from untie._util.threads import map_ahead
from untie.cluster import KModes
from untie.explain import _outliers as surprises
from untie.explain import (
    border_cases,
    examples,
    outliers,
    prototypes,
    several_shares,
    weight_shares,
)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=300)
    cells = {f"c{j}": (group + rng.integers(j + 1, size=300)) % 4 for j in range(6)}
    return pd.DataFrame(cells).astype(str)


@pytest.fixture(scope="module")
def encoder(frame):
    return TableEncoder(n_clusters=2, preparer=None).fit(frame)


def test_texts_that_are_coded_once_are_the_same_table():
    frame = pd.DataFrame(
        {
            "self": ["b", None, "a"],
            "number": [1, 2, 2],
            "sizes": pd.Categorical(["S", "L", "S"], ["S", "L"], ordered=True),
        }
    )
    for table in (frame, pa.Table.from_pandas(frame)):
        coded = coded_once(table)
        assert type(coded) is type(table)
        (known, rows), (again, others) = (learn_vocabulary(read_table(t)) for t in (table, coded))
        assert known == again
        np.testing.assert_array_equal(np.stack(rows.codes), np.stack(others.codes))
    assert coded_once(frame)["self"].dtype == "category"
    assert not coded_once(frame)["self"].dtype.ordered


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ([3, 1, 3], [3, 1]),
        ([1.5, float("nan"), 2.0], [1.5, 2.0, None]),
        ([1, True, "1", 1.0], [1, "1"]),
        (["a", 0.5, "b"], ["a", 0.5, "b"]),
    ],
)
def test_values_that_are_as_they_should_be_stay_so(cells, values):
    codes, found = factorize(np.array(cells, dtype=object), "x")
    assert found == values
    assert [found[code] for code in codes] == [None if cell != cell else cell for cell in cells]


def test_a_sample_of_rows_does_not_depend_on_the_chunks(monkeypatch):
    monkeypatch.setattr("untie._prepare.look.SAMPLE_ROWS", (64, 64))
    monkeypatch.setattr("untie._prepare.look.EXACT_VALUES", 100)
    frame = pd.DataFrame({"id": np.arange(1000), "text": ["a", "b"] * 500})
    found = []
    for step in (1000, 300, 7):
        look = Look(["id", "text"])
        for start in range(0, 1000, step):
            look.add(read_table(frame[start : start + step]), None)
        found.append([(s.values, s.rows.tolist(), s.scale) for s in look.summaries()])
    assert found[0] == found[1] == found[2]
    assert len(found[0][0][0]) <= 64


def test_typical_rows_and_borders_are_found_together(frame, encoder):
    labels = np.arange(300) % 3
    about = {"labels": labels, "n": 5}
    both = examples(encoder, frame, **about)
    pd.testing.assert_frame_equal(both[0], prototypes(encoder, frame, **about))
    pd.testing.assert_frame_equal(both[1], border_cases(encoder, frame, **about))
    assert examples(encoder, frame, labels=np.zeros(300))[1] is None


def test_shares_by_several_groupings_are_those_by_each(encoder):
    for by, found in zip(
        ("coupling", "kernel"), several_shares(encoder, ["coupling", "kernel"]), strict=True
    ):
        pd.testing.assert_frame_equal(found, weight_shares(encoder, by=by))


def test_surprises_in_a_table_are_those_of_single_pairs(frame, encoder, monkeypatch):
    fast = outliers(encoder, frame)
    monkeypatch.setattr(surprises, "TABLE_CELLS", 0)
    pd.testing.assert_frame_equal(outliers(encoder, frame), fast, check_exact=True)


def test_contexts_are_the_shares_beside_each_value(frame, encoder):
    counts = encoder.counts_
    found = contexts_of(counts, 1, np.array([0, 1]))
    beside = [counts.block(1, other)[:2] for other in range(6) if other != 1]
    expected = np.hstack([block / block.sum(axis=1, keepdims=True) for block in beside])
    np.testing.assert_array_equal(found.shares, expected)


def test_k_modes_counts_pairs_for_a_distance_that_is_learned_alone(frame):
    seen = []

    def mismatches(counts):
        seen.append(counts.has_pairs)
        return [1.0 - np.eye(size) for size in counts.sizes]

    plain, own = KModes(2).fit(frame), KModes(2, distance=mismatches).fit(frame)
    assert seen == [True]
    np.testing.assert_array_equal(own.labels_, plain.labels_)


@pytest.mark.parametrize("ahead", [0, 2, 20])
def test_results_come_in_order_however_many_wait(ahead):
    assert list(map_ahead(lambda n: n * n, range(9), ahead=ahead)) == [n * n for n in range(9)]
