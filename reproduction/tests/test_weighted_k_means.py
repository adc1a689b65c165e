"""k-means on distinct rows against k-means on all rows, and rotations against distances."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans

from untie_paper import weighted_k_means as module
from untie_paper.weighted_k_means import distinct_rows, k_means, shorten


def blobs(n_columns: int = 3) -> np.ndarray:
    """Return rows of three groups, many of them equal."""
    rng = np.random.default_rng(0)
    centres = 10 * rng.standard_normal((3, n_columns))
    rows = np.repeat(centres, 40, axis=0) + rng.integers(-1, 2, size=(120, n_columns))
    return rows[rng.permutation(120)]


def inertia(rows: np.ndarray, labels: np.ndarray) -> float:
    groups = [rows[labels == label] for label in np.unique(labels)]
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def test_finds_what_k_means_on_all_rows_finds() -> None:
    rows = blobs()
    found = k_means(rows, 3, seed=0, n_restarts=5)
    expected = KMeans(3, n_init=5, random_state=0).fit(rows)
    assert found.labels.shape == (120,)
    assert found.inertia == pytest.approx(expected.inertia_)
    assert found.inertia == pytest.approx(inertia(rows, found.labels))


def test_equal_rows_count_as_often_as_they_occur() -> None:
    # Ten rows at 0 hold their centre, so 3.1 goes with 6.5; single rows would give it to 0.
    rows = np.array([[0.0]] * 10 + [[3.1]] + [[6.5]] * 2)
    first, *_, middle, last, _ = k_means(rows, 2, 0, 20).labels
    assert first != middle == last
    first, middle, last = k_means(np.unique(rows, axis=0), 2, 0, 20).labels
    assert first == middle != last


def test_the_seed_decides() -> None:
    rows = np.random.default_rng(1).standard_normal((200, 5))
    first = k_means(rows, 8, 0, 1).labels
    assert np.array_equal(first, k_means(rows, 8, 0, 1).labels)
    assert not np.array_equal(first, k_means(rows, 8, 1, 1).labels)


def test_more_restarts_are_never_worse() -> None:
    rows = np.random.default_rng(1).standard_normal((200, 5))
    costs = [k_means(rows, 8, 0, n).inertia for n in (1, 20)]
    assert costs[1] <= costs[0]


def test_fewer_distinct_rows_than_clusters() -> None:
    labels = k_means(np.array([[1.0], [2.0], [1.0]]), 5, 0, 2).labels
    assert labels[0] == labels[2] != labels[1]


def test_distinct_rows_restore_the_rows() -> None:
    rows = blobs()
    first, inverse, times = distinct_rows(
        rows + 1e-13 * np.random.default_rng(2).random(rows.shape)
    )
    assert len(first) == len(np.unique(rows, axis=0))
    assert np.allclose(rows[first][inverse], rows)
    assert np.array_equal(times, np.bincount(inverse))


def test_minus_zero_is_zero() -> None:
    assert len(distinct_rows(np.array([[0.0], [-0.0]]))[0]) == 1


@pytest.mark.parametrize("shape", [(400, 700), (30, 700), (900, 600)])
@pytest.mark.parametrize("rank", [5, 290, 2000])
def test_rotation_keeps_distances(shape: tuple[int, int], rank: int) -> None:
    rng = np.random.default_rng(3)
    rank = min(rank, *shape)
    rows = rng.standard_normal((shape[0], rank)) @ rng.standard_normal((rank, shape[1]))
    short = shorten(rows)
    assert short.shape[1] == rank
    assert np.allclose(pdist(short), pdist(rows))


def test_rotation_keeps_a_row_that_is_alone_in_its_direction() -> None:
    rows = np.zeros((500, 600))
    rows[:, 0] = 1.0
    rows[123, 7] = 1e-3
    short = shorten(rows)
    assert np.linalg.norm(short[123] - short[0]) == pytest.approx(1e-3)


def test_wide_rows_have_the_clusters_of_narrow_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = blobs(n_columns=700)
    wide = k_means(rows, 3, 0, 3)
    monkeypatch.setattr(module, "WIDE", 10_000)
    narrow = k_means(rows, 3, 0, 3)
    assert wide.inertia == pytest.approx(narrow.inertia)
    assert len(set(zip(wide.labels, narrow.labels, strict=True))) == 3


def test_rows_that_are_all_zero() -> None:
    assert set(k_means(np.zeros((5, 600)), 2, 0, 1).labels) == {0}
