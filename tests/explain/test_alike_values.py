"""Values in similar contexts, against deviations computed from explicit rows."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from tables import latent_classes, small_tables
from untie import UNTIE, Preparer, TableEncoder
from untie.explain import alike_values, why_alike
from untie.explain._alike_values import NOTHING


def slow_deviations(table, column, value):
    """Return (p(b|a) - p(b)) / sqrt(p(b)) over all b, and what chance gives on average."""
    rows = table[table[column] == value]
    deviations, noise = {}, 0.0
    n, n_a = len(table), len(rows)
    for other in table:
        if other == column:
            continue
        for b in sorted(set(table[other])):
            p, p_a = (table[other] == b).mean(), (rows[other] == b).mean()
            deviations[other, b] = (p_a - p) / np.sqrt(p)
        noise += (table[other].nunique() - 1) * (n - n_a) / (n_a * max(n - 1, 1))
    return deviations, noise


def slow_alikeness(table, column, a, b):
    (first, noise), (second, other_noise) = (slow_deviations(table, column, v) for v in (a, b))
    product = sum(first[key] * second[key] for key in first)
    squares = [sum(d**2 for d in part.values()) for part in (first, second)]
    factors = [
        np.sqrt(max(s - chance, 0.0)) / s if s > 1e-15 else 0.0
        for s, chance in zip(squares, (noise, other_noise), strict=True)
    ]
    return product * factors[0] * factors[1]


@given(small_tables(min_rows=4, max_rows=20))
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate
def test_against_explicit_rows(table):
    encoder = UNTIE(solver="uniform").fit(table)
    if table.shape[1] < 2:
        if table.iloc[:, 0].nunique() > 1:
            with pytest.raises(ValueError, match="second column"):
                alike_values(encoder)
        return
    found = alike_values(encoder, n=1000)
    pairs = [(name, *pair) for name in table for pair in combinations(sorted(set(table[name])), 2)]
    known = {pair for pair in pairs if abs(slow_alikeness(table, *pair)) > NOTHING}
    listed = found[["column", "value", "other_value"]].itertuples(index=False, name=None)
    assert {(name, *sorted(pair)) for name, *pair in listed} == known
    assert (np.diff(found.at_least) <= 1e-9).all()
    assert (found.at_least <= found.alikeness + 1e-9).all()
    for line in found.itertuples():
        expected = slow_alikeness(table, line.column, line.value, line.other_value)
        assert line.alikeness == pytest.approx(expected, abs=1e-9)
        assert line.weight == (table[line.column] == line.value).sum()
        why = why_alike(encoder, line.column, line.value, line.other_value, n=1000)
        assert why.contribution.sum() == pytest.approx(expected, abs=1e-9)


def test_contexts_by_hand():
    table, _ = latent_classes(100, 2, 4, 3, seed=0)
    encoder = TableEncoder(2, preparer=None).fit(table)
    why = why_alike(encoder, "c1", "v0", "v1", n=100)
    for line in why.itertuples():
        assert line.column != "c1"
        usual = (table[line.column] == line.value).mean()
        share = (table[line.column][table.c1 == "v0"] == line.value).mean()
        other = (table[line.column][table.c1 == "v1"] == line.value).mean()
        assert (line.usual_share, line.share, line.other_share) == pytest.approx(
            (usual, share, other)
        )
    shown = why_alike(encoder, "c1", "v0", "v1", n=2)
    largest = why.contribution.abs().nlargest(2)
    assert shown.contribution.abs().sum() == pytest.approx(largest.sum())


def interchangeable(n_rows, seed=0):
    """Return a table in which a and b mean the same, and c and d; e is rare."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 2, n_rows)
    word = np.array([["a", "b"], ["c", "d"]])[hidden, rng.integers(0, 2, n_rows)]
    word[:2] = "e"
    noise = rng.random((n_rows, 3)) < 0.1
    rest = np.where(noise, rng.integers(0, 2, (n_rows, 3)), hidden[:, None]).astype(str)
    return pd.DataFrame(np.column_stack([word, rest]), columns=["word", "x", "y", "z"])


def test_words_with_one_meaning_are_found_and_rare_ones_are_not():
    encoder = TableEncoder(2, preparer=None).fit(interchangeable(2000))
    found = alike_values(encoder, "word")
    assert {(v, o) for v, o in zip(found.value[:2], found.other_value[:2], strict=True)} == {
        ("a", "b"),
        ("c", "d"),
    }
    assert found.alikeness[:2].min() > 0.98
    rare = found[(found.value == "e") | (found.other_value == "e")]
    assert rare.alikeness.max() < found.alikeness[1] or rare.empty
    assert found.alikeness.min() < -0.98  # a and c


def test_spellings_come_before_pairs_that_were_seen_once():
    rng = np.random.default_rng(0)
    model = np.repeat(["m1", "m2", "m3", "m4"], 150)
    maker = np.where(model < "m3", rng.choice(["AIR", "AIR CO"], 600), "BOE")
    seats = np.where(rng.random(600) < 0.8, np.char.add(model, "s"), "any")
    table = pd.DataFrame({"maker": maker, "model": model, "seats": seats, "kind": "jet"})
    odd = [[f"one {n}", f"own {n // 2}", f"few {n // 2}", "glider"] for n in range(8)]
    table = pd.concat([table, pd.DataFrame(odd, columns=table.columns)], ignore_index=True)
    found = alike_values(TableEncoder(2, preparer=None).fit(table), "maker")
    assert (found.value[0], found.other_value[0]) == ("AIR", "AIR CO")
    assert found.alikeness.idxmax() > 0  # of two values of one row each
    assert found.at_least[0] > 0.5 > found.at_least[1]


def test_standard_errors_by_hand():
    table, _ = latent_classes(80, 2, 3, 3, seed=1)
    found = alike_values(TableEncoder(2, preparer=None).fit(table), "c0")

    def spread(a, b):
        """Return how much the rows of a differ in what they count in the inner product with b."""
        rows, total = table[table.c0 == a], 0.0
        deviations, _ = slow_deviations(table, "c0", b)
        for other in ("c1", "c2"):
            numbers, weights = [], []
            for value, usual in table[other].value_counts(normalize=True).items():
                n = (rows[other] == value).sum()
                weights.append((n + usual) / (len(rows) + 1))  # and a row drawn from all
                numbers.append(deviations[other, value] / np.sqrt(usual))
            mean = np.average(numbers, weights=weights)
            total += np.sqrt(np.average((numbers - mean) ** 2, weights=weights))
        return total**2 / (len(rows) + 1)

    for line in found.itertuples():
        a, b = line.value, line.other_value
        product = sum(
            slow_deviations(table, "c0", a)[0][key] * d
            for key, d in slow_deviations(table, "c0", b)[0].items()
        )
        scale = line.alikeness / product
        error = np.sqrt(spread(a, b) + spread(b, a)) * scale
        assert line.at_least == pytest.approx(line.alikeness - 2 * error)


def test_chance_is_not_alikeness():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 5, (200, 4)).astype(str), columns=list("abcd"))
    assert alike_values(TableEncoder(2, preparer=None).fit(table)).alikeness.max() < 0.05


def test_pairs_with_nothing_in_common_are_not_listed():
    table = pd.DataFrame({"a": list("xy") * 200, "b": list("ppqq") * 100, "c": ["u", "v"] * 200})
    found = alike_values(TableEncoder(2, preparer=None).fit(table))
    assert set(found.column) == {"a", "c"}
    rng = np.random.default_rng(3)
    noise = pd.DataFrame(rng.integers(0, 12, (300, 3)).astype(str), columns=list("abc"))
    found = alike_values(TableEncoder(2, preparer=None).fit(noise), n=1000)
    assert (found.alikeness.round(3) != 0).all()


def test_only_frequent_values_of_long_columns_are_compared(monkeypatch):
    monkeypatch.setattr("untie.explain._alike_values.MOST_VALUES", 3)
    table = interchangeable(500)
    found = alike_values(TableEncoder(2, preparer=None).fit(table), "word")
    frequent = set(table.word.value_counts().index[:3])
    assert set(found.value) | set(found.other_value) == frequent
    assert len(found) == 3


def test_similarity_is_the_cosine_of_the_learned_vectors():
    encoder = UNTIE(2, solver="exact").fit(interchangeable(300))
    similarity = encoder.value_similarity("word")
    for line in alike_values(encoder, "word").itertuples():
        a, b = line.value, line.other_value
        lengths = np.sqrt(similarity.loc[a, a] * similarity.loc[b, b])
        assert line.similarity == pytest.approx(similarity.loc[a, b] / lengths)


def test_values_and_labels_and_libraries():
    frame = pl.DataFrame({"a": [1, 1, 2, 2, 3, None] * 4, "b": list("xxyyxy") * 4})
    encoder = TableEncoder(2, preparer=None).fit(frame)
    by_value = why_alike(encoder, "a", 1, None)
    assert isinstance(by_value, pl.DataFrame)
    assert why_alike(encoder, "a", "1", "missing").equals(by_value)


def test_bad_input():
    encoder = TableEncoder(2, preparer=None).fit(interchangeable(100))
    with pytest.raises(ValueError, match="no column 'q'"):
        alike_values(encoder, "q")
    with pytest.raises(ValueError, match="Column 'word' has no value 'q'; its values are a, b"):
        why_alike(encoder, "word", "a", "q")
    with pytest.raises(ValueError, match="n must be a positive integer"):
        alike_values(encoder, n=0)


def test_ranges_are_near_their_neighbors_and_listed_in_their_order():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 900)
    frame = pd.DataFrame({"age": age, "job": np.where(age + rng.normal(0, 8, 900) < 50, "a", "b")})
    preparer = Preparer().fit(frame)
    rows = preparer.transform(frame)
    encoder = TableEncoder(2, random_state=0, preparer=None).fit(rows)
    ranges = preparer.ranges("age")
    found = alike_values(encoder, "age", n=2000)
    places = {name: place for place, name in enumerate(ranges)}
    first, second = found.value.map(places), found.other_value.map(places)
    assert (first < second).all()
    nearness = -(second - first)
    assert np.corrcoef(nearness, found.similarity)[0, 1] > 0.94
    near = found[second - first == 1].similarity
    assert near.min() > found[second - first > 20].similarity.max()
    with pytest.raises(ValueError, match=f"its values are {ranges[0]}, {ranges[1]}, {ranges[2]},"):
        why_alike(encoder, "age", ranges[0], "no such range")
