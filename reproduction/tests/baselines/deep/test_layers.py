"""Layers against their definitions, and against the arrays they are exported to."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from untie import count_table  # noqa: E402
from untie_paper.baselines._deep.features import make_features  # noqa: E402
from untie_paper.baselines._deep.layers import Blocks, CodesWideDeep, Crosses, Noise, RowsWideDeep  # noqa: E402
from untie_paper.baselines._deep.losses import judging, reconstruction  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture
def counted(melons):
    return count_table(melons)


@pytest.fixture
def features(counted):
    return make_features(counted.counts, 2000)


@pytest.fixture
def one_hot(features, counted, melons):
    return torch.tensor(features.one_hot(counted.codes(melons)).toarray(), dtype=torch.float32)


def with_zero_weights(network):
    for parameter in network.parameters():
        torch.nn.init.zeros_(parameter)
    return network


def with_random_weights(network, seed=0):
    generator = torch.Generator().manual_seed(seed)
    for parameter in network.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator)
    return network


def test_a_decoder_of_zero_weights_loses_the_logarithms_of_the_sizes(features, one_hot):
    decoder = with_zero_weights(CodesWideDeep(features, (64, 32), 3, Noise(0, CPU)))
    logits = decoder(torch.randn(6, 3, generator=torch.Generator().manual_seed(0)))
    loss = reconstruction(Blocks(features, CPU).log_softmax(logits), one_hot)
    expected = math.log(2) + math.log(4) + math.log(3)
    assert expected == pytest.approx(3.178054, abs=1e-6)
    assert loss.item() == pytest.approx(expected, abs=1e-6)


def test_a_discriminator_of_zero_weights_loses_ln_2_twice(features, one_hot):
    network = RowsWideDeep(features, (64, 32), 1, Noise(0, CPU), n_codes=3)
    rows = Crosses(features, CPU)(one_hot)
    logits = with_zero_weights(network)(rows, torch.ones(6, 3))
    assert judging(logits, logits).item() == pytest.approx(2 * 0.693147, abs=1e-6)


def test_a_decoder_starts_from_the_shares(features, one_hot):
    decoder = CodesWideDeep(features, (64, 32), 3, Noise(0, CPU))
    logits = decoder(torch.zeros(6, 3))  # codes of 0 leave the bias alone
    loss = reconstruction(Blocks(features, CPU).log_softmax(logits), one_hot)
    assert loss.item() == pytest.approx(3.121421, abs=1e-6)  # the attributes' summed entropies


def test_a_decoder_is_finite_where_no_row_has_a_value():
    counted = count_table([["a"], ["a"]], categories=[["a", "b"]])
    decoder = CodesWideDeep(make_features(counted.counts, 9), (4,), 1, Noise(0, CPU))
    assert torch.isfinite(decoder(torch.zeros(1, 1))).all()


def test_log_softmax_is_that_of_each_block(features):
    logits = 100 * torch.randn(7, 9, generator=torch.Generator().manual_seed(0))
    found = Blocks(features, CPU).log_softmax(logits)
    parts = logits.split(list(features.sizes), dim=1)
    expected = torch.cat([part.log_softmax(dim=1) for part in parts], dim=1)
    torch.testing.assert_close(found, expected)


def test_gradients_of_log_softmax(features):
    blocks = Blocks(features, CPU)
    blocks._members = blocks._members.double()
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(2, 9, generator=generator, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(blocks.log_softmax, logits)


def test_hard_samples_are_exact_one_hot_blocks_with_gradients(features):
    logits = torch.randn(50, 9, generator=torch.Generator().manual_seed(0), requires_grad=True)
    sample = Blocks(features, CPU).hard_sample(logits, 0.67, Noise(1, CPU))
    assert set(sample.detach().unique().tolist()) == {0.0, 1.0}
    for part in sample.detach().split(list(features.sizes), dim=1):
        assert part.sum(dim=1).tolist() == [1.0] * 50
    (sample * torch.arange(9)).sum().backward()
    assert torch.isfinite(logits.grad).all()
    assert float(logits.grad.abs().min()) > 0


def test_hard_samples_follow_the_probabilities(features):
    probabilities = torch.tensor([0.9, 0.1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.25, 0.25])
    logits = probabilities.log().expand(20_000, -1)
    sample = Blocks(features, CPU).hard_sample(logits, 0.67, Noise(0, CPU))
    # Five standard errors of a share of one half.
    torch.testing.assert_close(sample.mean(dim=0), probabilities, atol=0.018, rtol=0)


def test_tied_logits_still_sum_to_1(features):
    class NoNoise(Noise):
        def uniform(self, low, high, *shape):
            return torch.full(shape, 0.5)

    sample = Blocks(features, CPU).hard_sample(torch.zeros(1, 9), 0.67, NoNoise(0, CPU))
    for part in sample.split(list(features.sizes), dim=1):
        assert float(part.sum()) == pytest.approx(1)


def test_noise_is_the_seeds_own():
    before = torch.get_rng_state()
    first, second = Noise(3, CPU), Noise(3, CPU)
    assert torch.equal(first.normal(2, 3), second.normal(2, 3))
    assert torch.equal(first.uniform(-1, 1, 4), second.uniform(-1, 1, 4))
    assert not torch.equal(first.normal(2, 3), Noise(4, CPU).normal(2, 3))
    assert torch.equal(before, torch.get_rng_state())


def slow_wide_deep(network, x, codes):
    """WD of one row in plain loops, straight from its definition."""
    features = network._features
    parameters = {name: p.detach().tolist() for name, p in network.named_parameters()}
    wide = list(x) + [x[a] * x[b] for a, b in zip(features.left, features.right, strict=True)]
    wide += list(codes)
    of_value = features.attribute_of
    widths = [min(8, math.ceil(size / 2)) for size in features.sizes]
    of_dimension = [j for j, width in enumerate(widths) for _ in range(width)]
    hidden = [
        sum(x[v] * parameters["embedding"][v][d] for v in range(len(x)) if of_value[v] == j)
        for d, j in enumerate(of_dimension)
    ]
    hidden += list(codes)
    for layer in range(len(network.layers.weights)):
        weights = parameters[f"layers.weights.{layer}"]
        biases = parameters[f"layers.biases.{layer}"]
        hidden = [
            max(0.0, bias + sum(h * weights[i][o] for i, h in enumerate(hidden)))
            for o, bias in enumerate(biases)
        ]
    return [
        bias
        + sum(w * parameters["wide"][i][o] for i, w in enumerate(wide))
        + sum(h * parameters["deep"][i][o] for i, h in enumerate(hidden))
        for o, bias in enumerate(parameters["bias"])
    ]


@pytest.mark.parametrize("n_codes", [0, 2])
def test_rows_wide_deep_as_defined(features, n_codes):
    network = RowsWideDeep(features, (4, 3), 2, Noise(0, CPU), n_codes)
    network = with_random_weights(network).double()
    x = np.random.default_rng(0).random((5, 9))  # soft blocks, which a generator gives
    codes = np.random.default_rng(1).random((5, n_codes))
    rows = Crosses(features, CPU)(torch.tensor(x))
    found = network(rows, torch.tensor(codes) if n_codes else None)
    expected = [slow_wide_deep(network, *row) for row in zip(x, codes, strict=True)]
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-10)


def test_codes_wide_deep_as_defined(features):
    network = CodesWideDeep(features, (4, 3), 2, Noise(0, CPU))
    assert [tuple(weights.shape) for weights in network.layers.weights] == [(2, 3), (3, 4)]
    network = with_random_weights(network).double()
    parameters = {name: p.detach().numpy() for name, p in network.named_parameters()}
    z = np.random.default_rng(0).normal(size=(5, 2))
    hidden = z
    for layer in range(2):
        product = hidden @ parameters[f"layers.weights.{layer}"]
        hidden = np.maximum(product + parameters[f"layers.biases.{layer}"], 0)
    expected = z @ parameters["wide"] + hidden @ parameters["deep"] + parameters["bias"]
    np.testing.assert_allclose(network(torch.tensor(z)).detach().numpy(), expected, rtol=1e-10)


@pytest.mark.parametrize("bounded", [False, True])
def test_exported_arrays_give_what_the_layers_give(features, counted, melons, bounded):
    network = with_random_weights(RowsWideDeep(features, (4, 3), 4, Noise(0, CPU))).double()
    one_hot = torch.tensor(features.one_hot(counted.codes(melons)).toarray())
    expected = network(Crosses(features, CPU)(one_hot)).detach()
    expected = expected.tanh() if bounded else expected
    exported = network.export(2, bounded)
    found = exported.outputs(counted.codes(melons))
    np.testing.assert_allclose(found, expected[:, :2].numpy(), rtol=1e-12)
    hidden = network.layers(one_hot @ (network.embedding * network._mask)).detach().numpy()
    np.testing.assert_allclose(exported.hidden(counted.codes(melons)), hidden, rtol=1e-12)
