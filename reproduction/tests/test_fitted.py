import numpy as np
import pandas as pd
import pytest

from untie_paper.datasets import load
from untie_paper.fitted import common_scale, fit_encoder
from untie_paper.methods import PAPER


def test_the_printed_protocol_is_quiet_though_it_takes_all_its_steps():
    table, labels = load("zoo")
    vectors = fit_encoder(PAPER, table, labels.nunique(), seed=0).transform(table)
    assert vectors.shape[0] == len(table)
    assert np.ptp(vectors) > 0


def test_classes_as_many_as_a_batch_are_quiet_too():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.choice(list("xyz"), size=(60, 12))).add_prefix("c")
    fit_encoder(PAPER, table, 20, seed=0)


def test_values_that_nothing_tells_apart_are_quiet_too():
    table = pd.DataFrame({"a": list("xyz") * 10, "b": list("pq") * 15})
    fit_encoder(PAPER, table, 2, seed=0)


def test_an_unknown_method_is_refused():
    with pytest.raises(KeyError, match="Nothing"):
        fit_encoder("Nothing", pd.DataFrame({"a": ["x", "y"]}), 2, seed=0)


def test_the_common_scale_takes_a_factor_away():
    vectors = np.random.default_rng(0).normal(size=(30, 4))
    scaled = vectors * common_scale(vectors, 7)
    assert np.var(scaled, axis=0).sum() == pytest.approx(7)
    np.testing.assert_allclose(1e-6 * vectors * common_scale(1e-6 * vectors, 7), scaled)


def test_equal_vectors_keep_their_scale():
    assert common_scale(np.ones((5, 2)), 3) == 1.0
