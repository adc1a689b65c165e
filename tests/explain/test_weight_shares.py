"""Shares of the weights, against the variance of explicit vectors."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from tables import encoder_of, latent_classes
from untie import UNTIE, Gaussian, Polynomial, TableEncoder, load_model
from untie._learn import memory
from untie._learn.vectors import full_lookup
from untie.explain import weight_shares

ENCODERS = {
    "auto": TableEncoder(3, preparer=None),
    "uniform": UNTIE(3, solver="uniform"),
    "exact": UNTIE(3, kernels=[Gaussian(0.5), Polynomial(2)], couplings=("intra", "joint")),
    "relevance": UNTIE(3, solver="relevance"),
    "ordered": TableEncoder(3, ordered={"c0": ["v1", "v0", "v3", "v2"]}, preparer=None),
    "grouped": UNTIE(3, solver="uniform", min_frequency=0.1),
}


@pytest.fixture(scope="module")
def table():
    return latent_classes(120, 3, 5, 4, seed=0)[0]


def full_rows(encoder, table):
    """Return the coordinates that were weighed, one line a row."""
    spaces = encoder._recipe().spaces(encoder.counts_, encoder._model.orders)
    lookup = full_lookup(spaces, encoder.omega_, encoder.counts_)
    return lookup.rows(encoder._codes(table), np.float64)


@pytest.mark.parametrize("name", ENCODERS)
def test_against_the_variance_of_the_full_coordinates(name, table):
    full = clone(ENCODERS[name]).fit(table)
    variance = full_rows(full, table).var(axis=0)
    lines = full.weights()  # one line a coordinate, in their order
    for by in ("column", "coupling", "kernel"):
        expected = {
            key: variance[(lines[by] == key).to_numpy()].sum() / variance.sum()
            for key in dict.fromkeys(lines[by])
        }
        found = weight_shares(full, by=by)
        assert list(found.columns) == [by, "share"]
        assert dict(zip(found[by], found.share, strict=True)) == pytest.approx(expected, abs=1e-9)
        assert (np.diff(found.share) <= 1e-9).all()


@pytest.mark.parametrize("name", ENCODERS)
def test_attributes_and_couplings_at_once(name, table):
    full = clone(ENCODERS[name]).fit(table)
    lines = full.weights().assign(variance=full_rows(full, table).var(axis=0))
    expected = lines.groupby(["column", "coupling"]).variance.sum() / lines.variance.sum()
    found = weight_shares(full, by="column x coupling")
    assert list(found.columns) == ["column", "coupling", "share"]
    assert found.set_index(["column", "coupling"]).share.to_dict() == pytest.approx(
        expected.to_dict(), abs=1e-9
    )
    assert (np.diff(found.share) <= 1e-9).all()


def test_a_column_with_very_many_values(monkeypatch):
    monkeypatch.setattr(memory, "LARGE", 10)
    table, classes = latent_classes(400, 3, 4, 4, seed=0)
    rng = np.random.default_rng(0)
    numbers = np.asarray(classes) + 3 * rng.integers(0, 20, 400)
    table = table.assign(large=[f"v{number}" for number in numbers])
    full = UNTIE(3, solver="uniform", output="full").fit(table)
    assert len(set(full._model.widths[-1])) > 1  # the kernels have unequal numbers of axes
    variance = np.asarray(full.transform(table)).var(axis=0)
    lines = full.weights().assign(variance=variance / variance.sum())
    for by in ("column", "coupling", "kernel"):
        found = weight_shares(full, by=by).set_index(by).share
        expected = lines.groupby(by).variance.sum()
        assert found.to_dict() == pytest.approx(expected.to_dict(), abs=1e-9)


def test_the_share_is_that_of_the_mean_squared_distance(table):
    encoder = UNTIE(3, solver="uniform").fit(table)
    names = encoder.get_feature_names_out()
    vectors = encoder.transform(table)
    found = weight_shares(encoder).set_index("column").share
    pairs = np.random.default_rng(0).integers(0, len(table), (20_000, 2))
    squares = np.square(vectors[pairs[:, 0]] - vectors[pairs[:, 1]])
    for name in table:
        own = squares[:, [feature.startswith(f"{name}=") for feature in names]].sum()
        assert own / squares.sum() == pytest.approx(found[name], abs=0.02)


def test_weights_of_rows_count(table):
    weights = np.random.default_rng(0).integers(0, 3, len(table))
    expected = weight_shares(
        TableEncoder(3, preparer=None).fit(table.loc[table.index.repeat(weights)])
    )
    found = weight_shares(TableEncoder(3, preparer=None).fit(table, sample_weight=weights))
    assert found.column.tolist() == expected.column.tolist()
    np.testing.assert_allclose(found.share, expected.share)


def test_saved_models_and_other_libraries(table, tmp_path):
    frame = pl.DataFrame(table.to_dict("list"))
    encoder = TableEncoder(3, preparer=None).fit(frame)
    found = weight_shares(encoder, by="kernel")
    assert isinstance(found, pl.DataFrame)
    encoder.save(tmp_path / "model")
    assert weight_shares(load_model(tmp_path / "model"), by="kernel").equals(found)


@pytest.mark.filterwarnings("ignore:Every column has a single value")
def test_degenerate_tables():
    encoder = TableEncoder(1, preparer=None).fit([["a", "x"], ["a", "x"]])
    assert weight_shares(encoder).share.tolist() == [0, 0]
    assert weight_shares(encoder, by="coupling").share.tolist() == [0]


def test_bad_input(table):
    encoder = UNTIE(3).fit(table)
    with pytest.raises(ValueError, match="by must be one of"):
        weight_shares(encoder, by="attribute")
    encoder.set_params(couplings="joint", kernels="F3")
    with pytest.raises(ValueError, match="changed since it was fitted"):
        weight_shares(encoder, by="kernel")


@pytest.mark.parametrize("solver", ["uniform", "exact"])
def test_kernels_of_a_column_with_many_values_may_have_fewer_axes(solver, table, monkeypatch):
    monkeypatch.setattr(memory, "LARGE", 3)
    encoder = encoder_of(3, kernels="paper", solver=solver).fit(table)
    assert len(encoder.omega_) < 2 * 13 * sum(encoder.vocabulary_.sizes)  # axes, not values
    parts = weight_shares(encoder, by="column x coupling").groupby("column").share.sum()
    whole = weight_shares(encoder).set_index("column").share  # from the vectors themselves
    assert parts.to_dict() == pytest.approx(whole.to_dict(), rel=1e-6)
    for by in ("coupling", "kernel"):
        assert weight_shares(encoder, by=by).share.sum() == pytest.approx(1)
