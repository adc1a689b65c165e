"""Relevance and redundancy against their definitions over explicit rows."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from tables import latent_classes, small_tables
from untie import TableEncoder, count_table
from untie._learn.columns.attributes import Attributes
from untie._learn.columns.explained_entropy import pair_entropies
from untie.datasets import load


def entropy(values):
    n = len(values)
    return -sum(k / n * math.log(k / n) for k in Counter(values).values())


def uncertainty(first, second):
    """Symmetric uncertainty, less the mean of independent attributes."""
    n, both = len(first), entropy(first) + entropy(second)
    shared = both - entropy(list(zip(first, second, strict=True)))
    shared -= (len(set(first)) - 1) * (len(set(second)) - 1) / (2 * n)
    return min(1.0, max(0.0, 2 * shared / both)) if both > 0 else 0.0


@given(table=small_tables(min_rows=2))
def test_the_definitions(table):
    columns = [table[name].tolist() for name in table]
    found = count_table(table).counts
    for j in range(len(columns)):
        others = [uncertainty(columns[j], c) for k, c in enumerate(columns) if k != j]
        assert Attributes(found).votes[j] == pytest.approx(1 / (1 + sum(u >= 0.7 for u in others)))
        expected = sum(u * (1 - u) ** 2 for u in others)
        assert Attributes(found).relevance[j] == pytest.approx(expected, abs=1e-9)


def test_copies_share_one_vote():
    table, _ = latent_classes(2000, 3, 4, 3, seed=0, purity=0.3)
    copies = table.assign(again=table["c0"], third=table["c0"])
    np.testing.assert_allclose(
        Attributes(count_table(copies).counts).votes, [1 / 3, 1, 1, 1, 1 / 3, 1 / 3]
    )


def test_noise_has_no_relevance():
    table, _ = latent_classes(2000, 3, 4, 3, seed=0)
    noise = np.random.default_rng(99).integers(0, 5, 2000).astype(str)
    found = Attributes(count_table(table.assign(noise=noise)).counts).relevance
    assert found[-1] < 0.01 < 0.1 < found[:-1].min()


def test_entropies_are_computed_once_for_a_table(monkeypatch):
    asked = []

    def counting(counts):
        asked.append(counts)
        return pair_entropies(counts)

    monkeypatch.setattr("untie._learn.columns.attributes.pair_entropies", counting)
    for seed in (0, 1):
        TableEncoder(3, preparer=None).fit(latent_classes(50, 2, 3, 3, seed=seed)[0])
    assert len(asked) == 2


def test_a_hierarchy_has_one_vote():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 48, 600)
    table = pd.DataFrame({"city": city, "state": city % 12, "region": city % 3})
    table = table.assign(other=rng.integers(0, 4, 600)).astype(str)
    votes = Attributes(count_table(table).counts).votes
    np.testing.assert_allclose(votes, [1 / 3, 1 / 3, 1 / 3, 1])


def test_columns_that_merely_depend_keep_their_votes():
    X, _ = load("wisconsin")
    np.testing.assert_array_equal(Attributes(count_table(X).counts).votes, 1)
    X, _ = load("crx")
    votes = dict(zip(X.columns, Attributes(count_table(X).counts).votes, strict=True))
    assert {name: vote for name, vote in votes.items() if vote < 1} == {"A4": 0.5, "A5": 0.5}
