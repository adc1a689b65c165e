import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes
from untie import count_table
from untie._learn import memory
from untie._learn.selection.spectrum_number import (
    choose_n_clusters,
    noise_edge,
    standardized_eigenvalues,
)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
def test_the_spectrum_tells_the_number_of_latent_classes(n_classes):
    table, _ = latent_classes(2000, n_classes, 12, 4, seed=n_classes, purity=0.75)
    assert choose_n_clusters(count_table(table).counts, 20) == n_classes


def test_weights_that_sum_to_1_do_not_hide_the_clusters():
    table, _ = latent_classes(500, 3, 12, 4, seed=0)
    whole = count_table(table)
    scaled = count_table(table, sample_weight=np.full(500, 1 / 500))
    assert choose_n_clusters(scaled.counts, 20) == 3
    assert choose_n_clusters(whole.counts, 20) == 3


def test_without_structure_two_clusters_are_chosen():
    rng = np.random.default_rng(0)
    counts = count_table(rng.integers(0, 4, (1000, 15))).counts
    assert choose_n_clusters(counts, 20) == 2
    assert choose_n_clusters(counts, 1) == 1


def test_independent_attributes_stay_below_the_edge_of_noise():
    rng = np.random.default_rng(1)
    table = rng.integers(0, 4, (1000, 15))
    counts = count_table(table).counts
    # 4 shares in each of 15 attributes, one of which follows from the others.
    assert noise_edge(counts) == pytest.approx((1 + np.sqrt(45 / 1000)) ** 2)
    assert standardized_eigenvalues(counts, 1)[0] < noise_edge(counts)
    scaled = count_table(table, sample_weight=np.full(1000, 0.001)).counts
    assert noise_edge(scaled) == noise_edge(counts)


def test_rare_values_pass_the_edge_of_noise_until_they_are_merged():
    shares = 1.0 / np.arange(1, 51) ** 2
    above = {"as they are": 0, "merged": 0}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = rng.choice(50, (5000, 12), p=shares / shares.sum())
        frequent = np.array([np.bincount(column, minlength=50) >= 10 for column in table.T])
        merged = np.where(frequent[np.arange(12), table], table, 50)
        for name, codes in (("as they are", table), ("merged", merged)):
            counts = count_table(codes).counts
            above[name] += standardized_eigenvalues(counts, 1)[0] > noise_edge(counts)
    assert above["as they are"] == 10
    assert above["merged"] <= 1


def table_with_a_large_column(seed, n_rows=400, with_missing=False):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, n_rows)
    large = classes + 3 * rng.integers(0, 30, n_rows)
    others = [np.where(rng.random(n_rows) < 0.6, classes, rng.integers(0, 3, n_rows))] * 1
    others += [rng.integers(0, 4, n_rows), (classes + rng.integers(0, 2, n_rows)) % 5]
    table = np.stack([others[0], large, *others[1:]], axis=1).astype(object)
    if with_missing:
        table[rng.random(table.shape) < 0.1] = "outside"
    return table


def slow_eigenvalues(counts, n_eigenvalues):
    """Scale, center and multiply whole matrices."""
    n_values = sum(counts.sizes)
    factor = np.zeros((n_values, n_values))
    for attribute in range(len(counts.sizes)):
        span = counts.span(attribute)
        frequencies = counts.frequencies[span]
        block = np.diag([1 / np.sqrt(f) if f > 0 else 0.0 for f in frequencies])
        factor[span, span] = block - frequencies @ block / frequencies.sum()
    return np.linalg.eigvalsh(factor.T @ counts.dense() @ factor)[::-1][:n_eigenvalues]


@pytest.mark.parametrize("way", ["one large", "operator", "sparse one large", "sparse operator"])
@given(seed=st.integers(0, 1000), with_missing=st.booleans())
def test_every_way_gives_the_eigenvalues_of_the_whole_matrix(way, seed, with_missing):
    table = table_with_a_large_column(seed, with_missing=with_missing)
    categories = "auto"
    if with_missing:  # cells that no category has: every attribute has unknown cells
        categories = [sorted({v for v in column if v != "outside"}) for column in table.T]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "LARGE", 10)
        if "operator" in way:
            patch.setattr("untie._learn.selection.spectrum_number.OPERATOR_SIZE", 5)
        if "sparse" in way:
            patch.setattr("untie._count.memory.DENSE_VALUES", 10)
            patch.setattr("untie._count.memory.FULL_VALUES", 10)
        counts = count_table(table, categories=categories).counts
        assert counts.is_sparse == ("sparse" in way)
        found = standardized_eigenvalues(counts, 6)
    np.testing.assert_allclose(found, slow_eigenvalues(counts, 6), atol=1e-9)
    assert (counts.frequencies[counts.span(0)].sum() < len(table)) == with_missing


def test_more_eigenvalues_than_the_small_columns_have(monkeypatch):
    monkeypatch.setattr(memory, "LARGE", 10)
    rng = np.random.default_rng(0)
    table = np.stack([rng.integers(0, 60, 300), rng.integers(0, 2, 300)], axis=1)
    counts = count_table(table).counts
    expected = slow_eigenvalues(counts, 12)
    np.testing.assert_allclose(standardized_eigenvalues(counts, 12), expected, atol=1e-9)
