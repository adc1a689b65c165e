"""A table with some of its columns is that of these columns alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes, small_tables
from untie import count_table
from untie._count.row_sample import in_canonical_order, sample_rows
from untie._count.tally import CountOptions, sample_heard, select_counts, select_tally, tally_table
from untie._table.table import read_table

WITH_SAMPLE = CountOptions(with_sample=True)


@given(small_tables(max_columns=4), st.data())
def test_counts(table, data):
    places = range(table.shape[1])
    kept = np.array(sorted(data.draw(st.sets(st.sampled_from(places), min_size=1))))
    found = select_counts(count_table(table).counts, kept)
    expected = count_table(table.iloc[:, kept]).counts
    assert found.sizes == expected.sizes
    assert (found.n, found.n_rows) == (expected.n, expected.n_rows)
    np.testing.assert_array_equal(found.matrix, expected.matrix)
    alone = select_counts(count_table(table).counts.without_pairs(), kept)
    np.testing.assert_array_equal(alone.matrix, expected.frequencies)


def test_sparse_counts(monkeypatch):
    monkeypatch.setattr("untie._count.memory.DENSE_VALUES", 8)
    monkeypatch.setattr("untie._count.memory.FULL_VALUES", 8)
    table = latent_classes(60, 3, 4, 4, seed=0)[0]
    kept = np.array([0, 2, 3])
    found, expected = (
        select_counts(count_table(table).counts, kept),
        count_table(table.iloc[:, kept]),
    )
    assert found.is_sparse
    np.testing.assert_array_equal(found.dense(), expected.counts.dense())


@pytest.mark.parametrize("merging", [{}, {"max_categories": 3}, {"min_frequency": 0.2}], ids=str)
def test_a_whole_tally(merging):
    table = latent_classes(90, 3, 4, 5, seed=1)[0]
    options = CountOptions(with_sample=True, **merging)
    kept = np.array([1, 3])
    found = select_tally(tally_table(read_table(table), options), kept)
    expected = tally_table(read_table(table.iloc[:, kept]), options)
    assert found.grouping.vocabulary == expected.grouping.vocabulary
    np.testing.assert_array_equal(found.counts.matrix, expected.counts.matrix)
    for part in ("numbers", "codes", "weights"):
        np.testing.assert_array_equal(getattr(found.sample, part), getattr(expected.sample, part))
    for one, other in zip(found.rows.codes, expected.rows.codes, strict=True):
        np.testing.assert_array_equal(one, other)


def test_rows_are_sampled_as_if_passive_columns_were_not_there():
    table = latent_classes(90, 3, 3, 4, seed=2)[0]
    tally = tally_table(read_table(table.assign(id=np.arange(90).astype(str))), WITH_SAMPLE)
    vocabulary, codes = tally.grouping.vocabulary, tally.rows.codes
    passive = np.array([False, False, False, True])
    found = in_canonical_order(sample_heard(codes, vocabulary, None, passive))
    expected = in_canonical_order(tally_table(read_table(table), WITH_SAMPLE).sample)
    np.testing.assert_array_equal(found.codes[:, :3], expected.codes)
    np.testing.assert_array_equal(found.weights, expected.weights)
    assert (found.codes[:, 3] == 90).all()  # unknown
    whole = sample_heard(codes, vocabulary, None, np.zeros(4, dtype=bool))
    np.testing.assert_array_equal(whole.codes, sample_rows(codes, vocabulary, None).codes)
