"""A column that is there twice: learned from as if it were there once, and still a column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables import latent_classes
from untie import UNTIE, Preparer, TableClusterer, TableEncoder, choose_k, load_model
from untie.datasets import load
from untie.explain import families, outliers, unknown_values

WORDS = latent_classes(300, 3, 6, 4, seed=0, purity=0.6)[0]


def mixed():
    """Return a table of words and numbers."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, 300)
    return WORDS.assign(
        age=20 + 15 * kind + rng.integers(0, 20, 300),
        height=np.round(160 + 8 * kind + rng.normal(0, 6, 300), 1),
    )


def renamed(cells):
    return cells if pd.api.types.is_numeric_dtype(cells) else "the same as " + cells


TABLES = {"words": lambda: WORDS, "zoo": lambda: load("zoo")[0].astype(str), "mixed": mixed}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_copies_change_nothing(make):
    table = make()
    expected = TableClusterer().fit(table)
    first, last = table.columns[0], table.columns[-1]
    copies = {f"copy {n}": renamed(table[last]) for n in range(3)}
    more = pd.concat([pd.DataFrame(copies), table], axis=1)
    for other in (table.assign(again=table[first]), more):
        found = TableClusterer().fit(other)
        assert found.n_clusters_ == expected.n_clusters_
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_array_equal(found.predict(other), expected.labels_)
        np.testing.assert_allclose(found.k_choice_.gain, expected.k_choice_.gain)
        np.testing.assert_allclose(found.inertia_, expected.inertia_)


@settings(max_examples=max(4, settings().max_examples // 3))
@given(st.integers(0, 2**31), st.sampled_from(["auto", 2, 4, 7]))
def test_a_copy_changes_nothing_in_any_table(seed, k):
    rng = np.random.default_rng(seed)
    n_rows, purity = int(rng.integers(60, 200)), rng.uniform(0.3, 0.8)
    table, _ = latent_classes(n_rows, int(rng.integers(2, 6)), 6, 4, seed, purity)
    copied = table.assign(again=table.iloc[:, int(rng.integers(6))])
    expected, found = (TableClusterer(k, preparer=None).fit(t) for t in (table, copied))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    choices = (
        choose_k(c.encoder_, t, range(2, 6), n_splits=2)
        for c, t in ((expected, table), (found, copied))
    )
    expected_choice, choice = choices
    assert choice.k == expected_choice.k
    np.testing.assert_allclose(choice.gain, expected_choice.gain)


@pytest.mark.parametrize("weights", [{"c0": 2}, {"c0": 2, "b": 2}, {"a": 0}])
def test_copies_of_several_weights_stand_anywhere(weights):
    """Copies of one weight are one column, wherever a copy of another weight stands."""
    table = WORDS.assign(a=WORDS["c0"], b=WORDS["c0"])
    encoder = TableEncoder(3, preparer=None, column_weights=weights)
    expected = encoder.fit(table).similarity(table)
    for first in ("a", "b", "c1"):
        other = table[[first, *table.columns.drop(first)]]
        np.testing.assert_allclose(encoder.fit(other).similarity(other), expected, atol=1e-9)


def test_orders_may_name_copies():
    order = ["v2", "v0", "v3", "v1"]
    table = WORDS.assign(again=WORDS["c0"])
    alone = TableEncoder(3, preparer=None, ordered={"c0": order}).fit(WORDS)
    both = TableEncoder(3, preparer=None, ordered={"c0": order, "again": order}).fit(table)
    np.testing.assert_allclose(both.similarity(table), alone.similarity(WORDS))
    one = TableEncoder(3, preparer=None, ordered={"again": order}).fit(table)
    assert not np.allclose(one.similarity(table), alone.similarity(WORDS))  # two columns


def test_copies_make_no_scale():
    """Four columns with the numbers 1 to 5 have an order, but not one column four times."""
    rng = np.random.default_rng(0)
    answers = pd.DataFrame({f"q{n}": rng.integers(1, 6, 300) for n in range(4)})
    table = WORDS.assign(q0=answers["q0"])
    copies = table.assign(**{f"copy {n}": answers["q0"] for n in range(3)})
    expected = TableEncoder(3, preparer=None).fit(table).similarity(table)
    found = TableEncoder(3, preparer=None).fit(copies).similarity(copies)
    np.testing.assert_allclose(found, expected)
    unordered = TableEncoder(3, preparer=None, ordered=False).fit(table).similarity(table)
    np.testing.assert_allclose(expected, unordered)
    scales = pd.concat([WORDS, answers], axis=1)
    with_order = TableEncoder(3, preparer=None).fit(scales).similarity(scales)
    without = TableEncoder(3, preparer=None, ordered=False).fit(scales).similarity(scales)
    assert not np.allclose(with_order, without)


def test_copies_are_still_columns(tmp_path):
    table = WORDS.assign(again=WORDS["c0"])
    clusterer = TableClusterer(3).fit(table)
    found = families(clusterer)
    assert found[["column", "role", "vote"]].to_numpy().tolist() == [
        ["c0", "root", 0.5],
        ["again", "copy", 0.5],
    ]
    new = table.head(4).assign(again="never seen")
    assert unknown_values(clusterer, new).column.tolist() == ["again"]
    odd = table.copy()
    odd.loc[7, "again"] = "v0" if odd.loc[7, "c0"] != "v0" else "v1"
    unusual = outliers(clusterer, odd, n=len(odd)).set_index("position")
    assert "again=" in unusual.reason[7]
    assert unusual.score[7] > outliers(clusterer, table, n=300).set_index("position").score[7]
    clusterer.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(table), clusterer.labels_)
    pd.testing.assert_frame_equal(families(loaded), found)


def test_what_has_no_vectors_of_its_own():
    table = WORDS.assign(again=WORDS["c0"])
    encoder = TableEncoder(3).fit(table)
    names = encoder.get_feature_names_out()
    assert encoder.transform(table).shape[1] == len(names)
    assert not any(name.startswith("again") for name in names)
    paper = UNTIE(3, solver="uniform").fit(table)
    assert any(name.startswith("again") for name in paper.get_feature_names_out())


def test_a_table_of_copies_alone_has_clusters():
    table = pd.DataFrame({"a": list("xyz") * 20, "b": list("uvw") * 20})
    clusterer = TableClusterer(3, preparer=Preparer()).fit(table)
    assert len(set(zip(table["a"], clusterer.labels_, strict=True))) == 3
