"""What is learned does not depend on the number of threads that BLAS has."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tables import latent_classes
from untie import UNTIE
from untie._util.threads import one_thread


@pytest.mark.parametrize("solver", ["auto", "exact", "uniform"])
@pytest.mark.parametrize("n_columns", [4, 20])
def test_one_and_two_threads_learn_the_same_bits(solver, n_columns):
    """Of 640 values in columns of 160 or 32; and of the components that are taken of them."""
    table, _ = latent_classes(1000, 3, n_columns, 640 // n_columns, seed=0)
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            short = UNTIE(3, solver=solver, n_components=5, random_state=0).fit(table)
            whole = UNTIE(3, solver=solver, random_state=0).fit(table)
            rows = table[:50]
            found.append([short.transform(rows), whole.transform(rows), whole.loss_curve_])
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)


def test_the_limit_is_one_thread_and_is_lifted():
    def numbers():
        return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        before = numbers()
        with one_thread(), one_thread():
            assert numbers() == {1}
        assert numbers() == before
