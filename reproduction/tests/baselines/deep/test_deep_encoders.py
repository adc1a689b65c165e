"""What both networks promise: seeds, equal rows, weights, unknown values, pickles, reports."""

import io
import pickle
from threading import Thread

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from tables import latent_classes, small_tables

torch = pytest.importorskip("torch")

from untie_paper.baselines import DEEP, BiGAN  # noqa: E402


@pytest.fixture(params=DEEP)
def method(request):
    return DEEP[request.param]


@pytest.fixture
def quick(method):
    return lambda **parameters: method(**{"max_epochs": 3, "random_state": 0} | parameters)


def test_same_seed_same_result_to_the_last_bit(quick, melons):
    first, second = quick().fit_transform(melons), quick().fit_transform(melons)
    np.testing.assert_array_equal(first, second)
    assert not np.allclose(first, quick(random_state=1).fit_transform(melons))


def test_the_number_of_threads_does_not_matter(quick, melons):
    before = torch.get_num_threads()
    expected = quick().fit_transform(melons)
    torch.set_num_threads(2)
    try:
        np.testing.assert_array_equal(quick().fit_transform(melons), expected)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_no_global_random_numbers_are_touched(quick, melons):
    of_torch, of_numpy = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    quick().fit(melons)
    assert torch.equal(of_torch, torch.get_rng_state())
    np.testing.assert_array_equal(of_numpy, np.random.get_state()[1])  # noqa: NPY002


def test_no_seed_is_the_seed_0(quick, melons):
    first, second, third = (quick(random_state=seed).fit_transform(melons) for seed in (None, 0, 1))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, third)


def test_equal_rows_have_equal_vectors(quick):
    table, _ = latent_classes(300, 3, 4, 3, seed=0)
    vectors = pd.DataFrame(quick().fit_transform(table))
    keys = table.agg("".join, axis=1)
    assert keys.duplicated().any()
    assert (vectors.groupby(keys).nunique() == 1).all(axis=None)


def test_a_row_alone_is_the_row_among_others_to_the_last_bit(quick):
    table, _ = latent_classes(100, 3, 4, 3, seed=0)
    encoder = quick().fit(table)
    together = encoder.transform(table)
    for row in range(0, 100, 9):
        np.testing.assert_array_equal(encoder.transform(table.iloc[[row]]), together[[row]])


@given(small_tables(max_rows=8, max_columns=3), st.data())
@settings(max_examples=settings().max_examples // 3)  # each trains three networks
@pytest.mark.parametrize("name", DEEP)
def test_order_of_rows_and_duplicates_for_weights(name, table, data):
    n_rows = len(table)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).filter(any))
    order = data.draw(st.permutations(range(n_rows)))
    encoder = DEEP[name](max_epochs=2, batch_size=4, random_state=0)
    weighted = clone(encoder).fit(table, sample_weight=weights)
    shuffled = clone(encoder).fit(table.iloc[order], sample_weight=np.array(weights)[order])
    repeated = clone(encoder).fit(table.iloc[np.repeat(np.arange(n_rows), weights)])
    kept = table[np.array(weights) > 0]
    expected = weighted.transform(kept)
    np.testing.assert_array_equal(shuffled.transform(kept), expected)
    np.testing.assert_array_equal(repeated.transform(kept), expected)
    assert weighted.loss_curve_ == repeated.loss_curve_ == shuffled.loss_curve_


def test_fit_transform_is_fit_then_transform(quick, melons):
    np.testing.assert_array_equal(
        quick().fit_transform(melons), quick().fit(melons).transform(melons)
    )
    weights = [1, 0, 2, 1, 1, 1]
    both = quick().fit_transform(melons, sample_weight=weights)
    apart = quick().fit(melons, sample_weight=weights).transform(melons)
    np.testing.assert_array_equal(both, apart)


def test_an_unknown_value_is_finite_and_its_own_vector_is_the_same_whatever_it_is(quick, melons):
    encoder = quick().fit(melons)
    new = melons.head(2).assign(Color=["pink", "blue"], Texture="clear", Root="curled")
    vectors = encoder.transform(new)
    assert np.isfinite(vectors).all()
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_a_row_of_unknown_values_goes_through_the_network_as_the_shares(quick, melons):
    encoder = quick().fit(melons)
    row = encoder.transform(melons.head(1).map(lambda _: "?"))
    network = encoder._network
    x = network.features.shares
    hidden = x @ network.embedding
    for weights, bias in network.layers:
        hidden = np.maximum(hidden @ weights + bias, 0)
    wide = np.concatenate([x, x[network.features.left] * x[network.features.right]])
    expected = wide @ network.wide + hidden @ network.deep + network.bias
    expected = np.tanh(expected) if network.bounded else expected
    np.testing.assert_allclose(row[0], expected, rtol=1e-10)


def test_missing_is_a_value(quick, melons):
    table = melons.assign(Color=melons["Color"].replace("yellow", None))
    encoder = quick().fit(table)
    assert None in encoder.vocabulary_.values[1]
    np.testing.assert_allclose(
        encoder.transform(table),
        quick().fit_transform(table.fillna("~")),  # sorts last, too
    )


@pytest.mark.parametrize("copy", ["pickle", "joblib"])
def test_copies(quick, melons, copy):
    encoder = quick().fit(melons)
    if copy == "pickle":
        other = pickle.loads(pickle.dumps(encoder))
    else:
        file = io.BytesIO()
        joblib.dump(encoder, file)
        file.seek(0)
        other = joblib.load(file)
    np.testing.assert_array_equal(other.transform(melons), encoder.transform(melons))
    assert b"torch" not in pickle.dumps(encoder)


def test_clone_keeps_every_parameter(method):
    changed = {
        "n_components": 3,
        "hidden": (5,),
        "max_cross": 7,
        "learning_rate": 0.1,
        "batch_size": 9,
        "max_epochs": 11,
        "l2": 0.2,
        "patience": None,
        "tol": 0.3,
        "device": "cpu",
        "verbose": 4,
        "callback": print,
        "random_state": 13,
    }
    encoder = clone(method(**changed))
    assert encoder.get_params() | changed == encoder.get_params()


def test_names_and_frames(quick, melons):
    encoder = quick(n_components=4).fit(melons)
    name = type(encoder).__name__.lower()
    assert encoder.get_feature_names_out().tolist() == [f"{name}{i}" for i in range(4)]
    assert encoder.n_components_ == 4
    frame = quick().set_output(transform="polars").fit_transform(pl.from_pandas(melons))
    assert frame.columns == [f"{name}{i}" for i in range(3)]


def test_curves(quick, melons):
    encoder = quick().fit(melons)
    assert encoder.n_iter_ == 3
    assert len(encoder.loss_curve_) == 3
    assert all(len(curve) == 3 for curve in encoder.curves_.values())
    assert torch.device(encoder.device_).type in ("cpu", "cuda")


def test_early_stopping_stops(quick):
    # Nothing can be learned from one row: the loss soon stops falling.
    table = [["a", "b"]] * 4
    encoder = quick(max_epochs=2000, patience=10, tol=0.05).fit(table)
    assert 20 <= encoder.n_iter_ < 2000
    assert quick(max_epochs=50, patience=None, tol=0.05).fit(table).n_iter_ == 50


def test_progress_lines(quick, melons, capsys):
    encoder = quick(verbose=True).fit(melons)
    captured = capsys.readouterr()
    assert captured.out == ""
    name = type(encoder).__name__
    starts = [f"{name} epoch {epoch} of 3: loss " for epoch in (1, 2, 3)]
    for line, start in zip(captured.err.splitlines(), starts, strict=True):
        assert line.startswith(start)


def test_a_callback_stops_learning(quick, melons):
    seen = []

    def stop_at_2(progress):
        seen.append(progress)
        return progress.epoch == 2

    encoder = quick(callback=stop_at_2).fit(melons)
    assert encoder.n_iter_ == 2
    assert [p.loss for p in seen] == encoder.loss_curve_
    assert {name: [p.terms[name] for p in seen] for name in seen[0].terms} == encoder.curves_


def test_a_failed_fit_changes_nothing(quick, melons):
    encoder = quick().fit(melons)
    before = encoder.transform(melons)

    def fail(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encoder.set_params(callback=fail).fit(melons.head(3))
    np.testing.assert_array_equal(encoder.transform(melons), before)


def test_a_diverging_fit_is_an_error_not_a_vector_of_nan(quick, melons):
    with pytest.raises(ValueError, match="lower learning_rate"):
        quick(learning_rate=1e30, max_epochs=50).fit(melons)


def test_fits_in_threads_do_not_disturb_each_other(quick, melons):
    expected = quick().fit_transform(melons)
    results = [None] * 3

    def work(place):
        results[place] = quick().fit_transform(melons)

    threads = [Thread(target=work, args=(place,)) for place in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("table", [[["a"]], [["a", "b", "c"]], [["a"], ["b"]]])
def test_tiny_tables(quick, table):
    vectors = quick().fit_transform(table)
    assert vectors.shape == (len(table), max(2, len(table[0])))
    assert np.isfinite(vectors).all()


def test_hidden_layer_of_bigan(melons):
    encoder = BiGAN(layer="hidden", hidden=(8, 5), max_epochs=2, random_state=0).fit(melons)
    vectors = encoder.transform(melons)
    assert vectors.shape == (6, 5)
    assert vectors.min() >= 0
    assert encoder.get_feature_names_out().tolist() == [f"bigan{i}" for i in range(5)]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_gpu_learns_the_same_up_to_rounding(quick, melons):
    before = torch.cuda.get_rng_state()
    on_gpu = quick(device="cuda").fit(melons)
    assert torch.equal(before, torch.cuda.get_rng_state())
    assert on_gpu.device_ == "cuda"
    expected = quick(device="cpu").fit_transform(melons)
    np.testing.assert_allclose(on_gpu.transform(melons), expected, atol=1e-4)
    assert b"torch" not in pickle.dumps(on_gpu)
