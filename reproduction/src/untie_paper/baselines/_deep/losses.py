"""What the networks minimise; every function takes and returns tensors, means over rows."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import softplus


def reconstruction(log_probabilities: Tensor, one_hot: Tensor) -> Tensor:
    """Return the cross-entropy of the rows' values in nats, summed over the attributes.

    Parameters
    ----------
    log_probabilities, one_hot : tensors of shape (n_rows, n_values)
        The decoder's log-probabilities of all values, and the values that the rows have.
    """
    return -(one_hot * log_probabilities).sum(dim=1).mean()


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """Return the Kullback-Leibler divergence of normal codes from the standard normal.

    Examples
    --------
    >>> import torch
    >>> divergence(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 2.0]]).log())
    tensor(0.6534)
    """
    terms = mean.square() + log_variance.exp() - 1.0 - log_variance
    return 0.5 * terms.sum(dim=1).mean()


def judging(real: Tensor, made: Tensor) -> Tensor:
    """Return the discriminator's loss, -log D(real) - log(1 - D(made)), from D's logits.

    With the logits exchanged it is the loss of what tries to deceive it.
    """
    return softplus(-real).mean() + softplus(made).mean()
