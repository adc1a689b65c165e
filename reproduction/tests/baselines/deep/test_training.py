"""Batches, one-hot rows, devices, threads and the loop."""

import math
from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from untie_paper.baselines import VAE  # noqa: E402
from untie_paper.baselines._deep import training  # noqa: E402
from untie_paper.baselines._deep.features import Features  # noqa: E402
from untie_paper.baselines._deep.settings import check_settings  # noqa: E402

CPU = torch.device("cpu")


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(1, 20), st.integers(0, 99))
def test_an_epoch_has_every_row_as_often_as_its_weight(weights, batch_size, seed):
    rng = np.random.default_rng(seed)
    batches = training.draw_batches(np.array(weights, float), batch_size, rng)
    assert np.bincount(np.concatenate(batches)).tolist() == weights
    lengths = [len(batch) for batch in batches]
    assert max(lengths) <= batch_size
    assert max(lengths) - min(lengths) <= 1
    assert len(batches) == math.ceil(sum(weights) / batch_size)


@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=20), st.integers(0, 99))
def test_a_broken_weight_is_rounded_down_or_up(weights, seed):
    weights = np.array(weights)
    batches = training.draw_batches(weights, 7, np.random.default_rng(seed))
    n_draws = sum(map(len, batches))
    assert n_draws == max(len(weights), round(weights.sum()))
    wanted = weights * n_draws / weights.sum()
    drawn = np.bincount(np.concatenate(batches), minlength=len(weights))
    assert (np.abs(drawn - wanted) < 1 + 1e-9).all()


def test_a_broken_weight_is_right_on_average():
    rng = np.random.default_rng(0)
    weights = np.array([0.3, 1.2, 2.5])
    drawn = [np.concatenate(training.draw_batches(weights, 9, rng)) for _ in range(4000)]
    mean = np.bincount(np.concatenate(drawn)) / 4000
    np.testing.assert_allclose(mean, weights, atol=0.04)  # five standard errors of a half


def test_an_epoch_is_limited(monkeypatch):
    monkeypatch.setattr(training, "EPOCH_ROWS", 10)
    rng = np.random.default_rng(0)
    batches = training.draw_batches(np.array([6e8, 4e8]), 64, rng)
    assert np.bincount(np.concatenate(batches)).tolist() == [6, 4]
    assert sum(map(len, training.draw_batches(np.ones(12), 64, rng))) == 12


def test_one_hot_rows_with_unknown_values():
    features = Features((2, 3), np.array([0.25, 0.75, 0.5, 0.3, 0.2]), *np.zeros((2, 0), int))
    codes = [np.array([0, 1, 2, 2]), np.array([2, 3, 0, 3])]
    rows = training.OneHotRows(features, codes, CPU)
    found = rows[np.array([3, 0, 1, 2])]
    np.testing.assert_allclose(
        found.numpy(), features.one_hot([c[[3, 0, 1, 2]] for c in codes]).toarray(), rtol=1e-6
    )
    assert found[0].tolist() == pytest.approx([0.25, 0.75, 0.5, 0.3, 0.2])


class Scripted:
    """A model whose losses are known beforehand."""

    name = "Scripted"
    is_adversarial = False

    def __init__(self, losses):
        self.losses = iter(losses)
        self.n_rows = []

    def step(self, x):
        self.n_rows.append(len(x))
        return {"loss": torch.tensor(next(self.losses)), "part": torch.tensor(1.0)}


@pytest.fixture
def rows():
    features = Features((2,), np.array([0.5, 0.5]), *np.zeros((2, 0), int))
    return training.OneHotRows(features, [np.array([0, 1])], CPU)


def train(losses, rows, weights=(1.0, 1.0), **parameters):
    settings = check_settings(VAE(**parameters), 1)
    model = Scripted(losses)
    return model, training.train(model, rows, np.array(weights), settings, seed=0)


def test_the_loop_stops_early(rows):
    _, curves = train([5.0, 4.0, 4.0, 4.0, 4.0, 0.0], rows, patience=2, max_epochs=6)
    assert curves == {"loss": [5.0, 4.0, 4.0, 4.0, 4.0], "part": [1.0] * 5}


def test_adversaries_stop_early_by_their_parts(rows, monkeypatch):
    monkeypatch.setattr(Scripted, "is_adversarial", True)
    _, curves = train([5.0, 4.0, 3.0, 2.0, 1.0, 0.0], rows, patience=2, max_epochs=6)
    assert curves["loss"] == [5.0, 4.0, 3.0, 2.0]


def test_the_loop_stops_at_max_epochs(rows):
    _, curves = train([5.0, 4.0, 3.0, 2.0], rows, max_epochs=3)
    assert curves["loss"] == [5.0, 4.0, 3.0]


def test_a_callback_sees_every_epoch_and_stops_the_loop(rows):
    seen = []

    def callback(progress):
        seen.append(progress)
        return progress.loss < 4.5

    train([5.0, 4.0, 3.0], rows, max_epochs=3, callback=callback)
    assert [(p.epoch, p.loss, p.terms, p.is_last) for p in seen] == [
        (1, 5.0, {"part": 1.0}, False),
        (2, 4.0, {"part": 1.0}, False),
    ]
    assert seen[0].method == "Scripted"
    assert seen[0].max_epochs == 3


def test_an_epochs_loss_is_the_mean_over_rows_not_batches(rows):
    model, curves = train([6.0, 3.0], rows, weights=(2.0, 1.0), batch_size=2, max_epochs=1)
    assert model.n_rows == [2, 1]
    assert curves["loss"] == [5.0]


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_divergence_is_an_error(rows, loss):
    with pytest.raises(ValueError, match=r"Scripted diverged in epoch 2.*lower learning_rate"):
        train([5.0, loss], rows, max_epochs=5)


def test_devices_that_are_there(monkeypatch):
    assert training.choose_device("cpu", 9999).type == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert training.choose_device("auto", 9999).type == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert training.choose_device("auto", 256).type == "cuda"
    assert training.choose_device("auto", 255).type == "cpu"  # not worth it
    assert training.choose_device("cuda", 1).type == "cuda"
    assert training.choose_device("cuda:1", 1).index == 1


@pytest.mark.parametrize("name", ["tpu", "gpu", "meta", "", "cuda:x"])
def test_devices_that_are_not(name):
    with pytest.raises(ValueError, match=f"'auto', 'cpu' or 'cuda', got '{name}'"):
        training.choose_device(name, 64)


@pytest.mark.parametrize(("name", "n_gpus"), [("cuda", 0), ("cuda:1", 1)])
def test_a_gpu_that_is_missing(monkeypatch, name, n_gpus):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: n_gpus)
    with pytest.raises(ValueError, match=f"'{name}'.*{n_gpus} GPUs.*device='cpu'"):
        training.choose_device(name, 64)


def test_one_thread_gives_back_what_was_there():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with training.one_thread():
            assert torch.get_num_threads() == 1
            with training.one_thread():
                assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
        with pytest.raises(KeyError), training.one_thread():
            raise KeyError
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_threads_take_turns():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    inside = Event()

    def work():
        with training.one_thread():
            inside.set()

    other = Thread(target=work, daemon=True)
    try:
        with training.one_thread():
            other.start()
            assert not inside.wait(0.1)
        other.join(10)
        assert inside.is_set()
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
