"""When learning stops, and what is said on the way."""

import pytest

from untie_paper.baselines._deep.progress import EarlyStopping, Progress, report


def progress(epoch, is_last=False):
    return Progress("VAE", epoch, 9, 2.5, {"divergence": 0.5}, is_last)


def epochs_until_stop(stopping, loss, **others):
    for n_epochs in range(1, len(loss) + 1):
        curves = {name: curve[:n_epochs] for name, curve in {"loss": loss, **others}.items()}
        if stopping(curves):
            return n_epochs
    return None


def test_no_patience_never_stops():
    assert epochs_until_stop(EarlyStopping(None, 0.0), [1.0] * 200) is None


def test_stops_once_the_mean_no_longer_falls():
    losses = [9.0, 8.0, 7.0, 6.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0]
    # Means of three: 5, 5, 5 after 6, 5, 5 is still a fall of a third.
    assert epochs_until_stop(EarlyStopping(3, 0.3), losses) == 10
    assert epochs_until_stop(EarlyStopping(3, 0.34), losses) == 9


def test_a_slow_but_steady_fall_goes_on():
    losses = [9 - 0.1 * epoch for epoch in range(90)]
    assert epochs_until_stop(EarlyStopping(10, 0.9), losses) is None
    assert epochs_until_stop(EarlyStopping(10, 1.1), losses) == 20


def test_noise_of_single_epochs_does_not_stop():
    losses = [9 - 0.1 * epoch + (-1) ** epoch for epoch in range(90)]
    assert epochs_until_stop(EarlyStopping(10, 0.9), losses) is None


def test_a_rise_stops():
    assert epochs_until_stop(EarlyStopping(2, 0.1), [1.0, 1.0, 5.0, 5.0]) == 4


def test_adversaries_stop_when_neither_moves():
    stopping = EarlyStopping(2, 0.1, is_adversarial=True)
    still, rising = [1.0] * 8, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0]
    assert epochs_until_stop(stopping, still, judge=still, other=still) == 4
    assert epochs_until_stop(stopping, still, judge=still, other=rising) == 8
    assert epochs_until_stop(stopping, rising, judge=still, other=still) == 4  # parts alone count


@pytest.mark.parametrize(
    ("verbose", "printed"), [(0, []), (1, [1, 2, 3, 4, 5]), (2, [2, 4, 5]), (3, [3, 5])]
)
def test_prints_every_so_many_epochs_and_the_last(capsys, verbose, printed):
    for epoch in range(1, 6):
        assert report(progress(epoch, epoch == 5), verbose, None) is False
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = [f"VAE epoch {e} of 9: loss 2.5000, divergence 0.5000\n" for e in printed]
    assert captured.err == "".join(lines)


@pytest.mark.parametrize(("answer", "stops"), [(True, True), (None, False), (1, False)])
def test_only_true_from_the_callback_stops(answer, stops):
    seen = []
    assert report(progress(1), 0, lambda p: seen.append(p) or answer) is stops
    assert seen == [progress(1)]
