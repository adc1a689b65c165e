"""What the documents say of the similarity of different values, on all bundled tables."""

import numpy as np
import pytest

from untie import TableEncoder
from untie.datasets import load, names


@pytest.fixture(scope="module")
def found():
    """Give, by table and column, the representation, values, and similarities by their own."""
    lines = []
    for name in names():
        X, y = load(name)
        encoder = TableEncoder(y.nunique(), random_state=0, preparer=None).fit(X)
        used = next(iter(encoder.gains_), None)
        for column in X:
            products = np.asarray(encoder.value_similarity(column), dtype=float)
            own = np.sqrt(np.diag(products))
            if not own.any():  # an exact copy of another column
                continue
            shares = (products / np.outer(own, own))[~np.eye(len(own), dtype=bool)]
            lines.append((name, column, used, shares))
    return lines


@pytest.mark.integration
def test_values_of_their_own_are_not_alike(found):
    lines = [line for line in found if line[2] == "relevance"]
    assert len({name for name, *_ in lines}) == 8
    # Its ages are ranges, which have an order.
    ordered = ("primarytumor", "age")
    assert all((shares == 0).all() for name, c, _, shares in lines if (name, c) != ordered)
    assert all(shares.min() > 0.1 for name, c, _, shares in lines if (name, c) == ordered)


@pytest.mark.integration
def test_values_that_are_coupled_alike_are(found):
    lines = [line for line in found if line[2] == "couplings"]
    assert len({name for name, *_ in lines}) == 13
    assert min(shares.min() for *_, shares in lines if len(shares)) > -1e-9
    assert 0.6 < max(shares.max() for *_, shares in lines if len(shares)) < 0.7
    # Two values that are all of their column share no branch that tells them apart.
    pairs = [shares for *_, shares in lines if len(shares) == 2]
    assert len(pairs) > 50
    assert np.abs(pairs).max() < 1e-9
