"""The methods by name."""

import pytest

from untie import TableEncoder
from untie_paper.baselines import VAE
from untie_paper.evaluation import published
from untie_paper.methods import (
    CDE_TEN,
    COLUMNS,
    DEEP,
    DEFAULT,
    DISTANCES,
    ENCODERS,
    PAPER,
    limit_steps,
)


def test_every_printed_column_is_measured() -> None:
    printed = set(published("clustering_ranks")["method"])
    assert printed < set(COLUMNS)
    assert set(COLUMNS) - printed == {DEFAULT, "One-hot", CDE_TEN}


def test_every_column_can_be_made() -> None:
    assert set(COLUMNS) <= {*ENCODERS, *DISTANCES}
    assert ENCODERS[PAPER](3, 1).solver == "adam"
    assert ENCODERS[PAPER](3, 1).random_state == 1
    assert isinstance(ENCODERS[DEFAULT](3, 1), TableEncoder)
    assert [ENCODERS[name](3, 1).n_init for name in ("CDE", CDE_TEN)] == [1, 10]
    assert DISTANCES["DILCA"]().norm == "n_attributes"
    assert all(ENCODERS[name](3, 5).random_state == 5 for name in DEEP)


@pytest.mark.parametrize(
    ("n_rows", "epochs"), [(64, 200), (65, 150), (6400, 3), (64 * 301, 1), (10**6, 1)]
)
def test_steps_are_limited(n_rows: int, epochs: int) -> None:
    assert limit_steps(VAE(max_epochs=200), n_rows, 300).max_epochs == epochs
