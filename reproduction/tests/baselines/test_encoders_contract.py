"""What every encoder promises, the day it is added to the list."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cases import ANY_FRAMES, TEXT_FRAMES, as_objects, as_rows
from estimator_checks import assert_all_checks_pass, assert_no_check_vanishes
from tables import latent_classes, small_tables
from untie_paper.baselines import ENCODERS, MCA

SETTINGS = {
    "CDE": {"n_init": 2, "random_state": 0},
}
"""What makes an encoder quick, and the same in every fit."""

UNKNOWN = "unheard of"


def make(name, **parameters):
    return ENCODERS[name](**{**SETTINGS.get(name, {}), **parameters})


@pytest.fixture(params=ENCODERS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def table():
    """Return a table without symmetries, so that nothing depends on a choice among equals."""
    return latent_classes(200, 3, 5, 4, seed=1)[0]


@pytest.fixture(scope="module")
def columns(table):
    return {column: table[column].tolist() for column in table.columns}


class TestScikitLearn:
    @pytest.mark.parametrize("encoder", [make() for make in ENCODERS.values()], ids=repr)
    def test_every_check_passes(self, encoder):
        assert_all_checks_pass(encoder)

    @pytest.mark.slow
    @pytest.mark.parametrize("encoder", [MCA(None)], ids=repr)
    def test_every_check_passes_with_other_parameters(self, encoder):
        assert_all_checks_pass(encoder)

    def test_no_tag_makes_checks_vanish(self, name):
        assert_no_check_vanishes(make(name))

    def test_a_copy_and_a_pickle_give_the_same(self, name, table):
        encoder = make(name).fit(table)
        expected = encoder.transform(table)
        for other in (clone(encoder).fit(table), pickle.loads(pickle.dumps(encoder))):
            np.testing.assert_array_equal(other.transform(table), expected)

    def test_names_and_number_of_columns_are_remembered(self, name, table):
        encoder = make(name).fit(table)
        assert encoder.n_features_in_ == 5
        assert encoder.feature_names_in_.tolist() == table.columns.tolist()
        with pytest.raises(ValueError, match="feature names"):
            encoder.transform(table[table.columns[::-1]])

    @pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
    def test_output_frames_have_names(self, name, table, library):
        encoder = make(name).fit(table)
        expected = encoder.transform(table)
        encoder.set_output(transform=library.__name__)
        frame = encoder.transform(table)
        assert isinstance(frame, library.DataFrame)
        names = encoder.get_feature_names_out().tolist()
        assert list(frame.columns) == names
        assert len(set(names)) == expected.shape[1]
        np.testing.assert_array_equal(frame.to_numpy(), expected)

    def test_a_pipeline_takes_it(self, name, table):
        X = make_pipeline(make(name), StandardScaler()).fit_transform(table)
        np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-9)

    def test_without_a_fit_it_says_so(self, name, table):
        with pytest.raises(NotFittedError):
            make(name).transform(table)
        with pytest.raises(NotFittedError):
            make(name).get_feature_names_out()

    def test_fit_and_transform_in_one_give_the_same(self, name, table):
        encoder = make(name)
        X = encoder.fit_transform(table)
        np.testing.assert_array_equal(X, encoder.transform(table))
        weights = np.arange(len(table)) % 3
        X = encoder.fit_transform(table, sample_weight=weights)
        np.testing.assert_array_equal(X, encoder.transform(table))


class TestWhatChangesNothing:
    def test_the_order_of_rows(self, name, table):
        order = np.random.default_rng(0).permutation(len(table))
        shuffled = table.iloc[order]
        np.testing.assert_allclose(
            make(name).fit_transform(shuffled), make(name).fit_transform(table)[order], atol=1e-9
        )

    def test_the_order_of_columns(self, name, table):
        expected = pdist(make(name).fit_transform(table))
        found = pdist(make(name).fit_transform(table[table.columns[[3, 0, 4, 2, 1]]]))
        np.testing.assert_allclose(found, expected, atol=1e-9)

    def test_the_names_of_values_and_columns(self, name, table):
        new = {"v0": "d", "v1": "c", "v2": "b", "v3": "a"}
        renamed = table.map(new.get).rename(columns=str.upper)
        expected = pdist(make(name).fit_transform(table))
        found = pdist(make(name).fit_transform(renamed))
        np.testing.assert_allclose(found, expected, atol=1e-9)

    def test_repetition_in_the_place_of_weights(self, name, table):
        weights = np.arange(len(table)) % 4
        repeated = table.loc[table.index.repeat(weights)]
        seen = repeated.drop_duplicates()
        first = make(name).fit(table, sample_weight=weights).transform(seen)
        second = make(name).fit(repeated).transform(seen)
        np.testing.assert_allclose(first, second, atol=1e-9)

    def test_the_scale_of_the_weights(self, name, table):
        weights = 1.0 + np.arange(len(table)) % 4
        first, second = (
            make(name).fit_transform(table, sample_weight=scale * weights) for scale in (1, 8)
        )
        np.testing.assert_allclose(second, first, atol=1e-9)

    def test_the_rest_of_the_batch(self, name, table):
        encoder = make(name).fit(table)
        X = encoder.transform(table)
        np.testing.assert_array_equal(encoder.transform(table.iloc[[7, 3, 3]]), X[[7, 3, 3]])
        np.testing.assert_array_equal(encoder.transform(table.iloc[[9]]), X[[9]])
        assert encoder.transform(table.head(0)).shape == (0, X.shape[1])

    @pytest.mark.parametrize("frame", [*ANY_FRAMES, *TEXT_FRAMES])
    def test_the_library(self, name, columns, table, frame):
        expected = make(name).fit_transform(table)
        data = {**ANY_FRAMES, **TEXT_FRAMES}[frame](columns)
        np.testing.assert_array_equal(make(name).fit_transform(data), expected)

    @pytest.mark.parametrize("convert", [as_rows, as_objects])
    def test_rows_and_arrays(self, name, columns, table, convert):
        encoder = make(name)
        X = encoder.fit_transform(convert(columns))
        np.testing.assert_array_equal(X, make(name).fit_transform(table))
        assert not hasattr(encoder, "feature_names_in_")


class TestCells:
    def test_a_missing_cell_is_a_value_of_its_own(self, name, table):
        missing, spelled = table.copy(), table.copy()
        missing.loc[:40, "c1"] = np.nan
        missing.loc[:20, "c1"] = None
        spelled.loc[:40, "c1"] = "zz missing"  # sorts last, as missing does
        np.testing.assert_allclose(
            make(name).fit_transform(missing), make(name).fit_transform(spelled), atol=1e-9
        )

    def test_all_unknown_values_are_alike(self, name, table):
        encoder = make(name).fit(table)
        one, other = (encoder.transform(table.assign(c2=word)) for word in (UNKNOWN, "unseen"))
        np.testing.assert_array_equal(one, other)
        assert np.isfinite(one).all()
        nothing = encoder.transform(table.head(1).map(lambda _: UNKNOWN))
        mean = encoder.transform(table).mean(axis=0)
        np.testing.assert_allclose(nothing[0], mean, atol=1e-9)


@pytest.mark.parametrize("name", ENCODERS)
@given(table=small_tables(), data=st.data())
def test_small_tables_give_finite_numbers(name, table, data):
    encoder = make(name).fit(table)
    rows = data.draw(st.lists(st.sampled_from(["v0", "v1", "v2", None, UNKNOWN]), min_size=1))
    other = pd.DataFrame(dict.fromkeys(table.columns, rows), dtype=object)
    for part in (table, other):
        X = encoder.transform(part)
        assert X.dtype == np.float64
        assert X.shape == (len(part), len(encoder.get_feature_names_out()))
        assert np.isfinite(X).all()


class TestMistakes:
    @pytest.mark.parametrize(
        ("weights", "message"),
        [([1.0], "one weight per row"), ([-1.0] * 200, "negative"), ([0.0] * 200, "zero")],
    )
    def test_wrong_weights_are_named(self, name, table, weights, message):
        with pytest.raises(ValueError, match=message):
            make(name).fit(table, sample_weight=weights)
