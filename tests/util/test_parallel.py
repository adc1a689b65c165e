import os
import subprocess
import sys
import threading
import warnings

import pytest
from joblib import Parallel, cpu_count, delayed, parallel_config
from threadpoolctl import threadpool_limits

from untie._util.threads import alone, in_threads, map_ahead, n_threads


@pytest.mark.parametrize(("n_jobs", "expected"), [(1, 1), (3, 3), (-1, cpu_count())])
def test_joblib_says_how_many(n_jobs, expected):
    with parallel_config(n_jobs=n_jobs):
        assert n_threads() == expected


def test_never_less_than_one():
    with parallel_config(n_jobs=-10_000):
        assert n_threads() == 1


def test_a_limit_of_openmp_is_kept():
    with threadpool_limits(1, user_api="openmp"):
        assert n_threads() == 1
        with parallel_config(n_jobs=2):
            assert n_threads() == 2


def count_in_fresh_process(**variables):
    environment = {**os.environ, **variables}
    program = "from untie._util.threads import n_threads; print(n_threads())"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, check=True
    )
    return int(done.stdout)


@pytest.mark.integration
def test_variables_of_the_environment_are_kept():
    many = str(cpu_count())
    assert count_in_fresh_process(LOKY_MAX_CPU_COUNT="1", OMP_NUM_THREADS=many) == 1
    assert count_in_fresh_process(OMP_NUM_THREADS=many) == cpu_count()


@pytest.mark.integration
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_one_inside_a_worker_of_joblib(backend):
    with warnings.catch_warnings():
        # Pytest's own threads make a fork, of which loky has none, look unsafe.
        warnings.simplefilter("ignore", DeprecationWarning)
        found = Parallel(n_jobs=2, backend=backend)(delayed(n_threads)() for _ in range(2))
    assert found == [1, 1]


def test_one_inside_a_worker_of_ours():
    with parallel_config(n_jobs=3):
        assert in_threads(lambda _: n_threads(), range(4)) == [1] * 4
        assert n_threads() == 3


def test_alone():
    @alone()
    def count():
        return n_threads()

    with parallel_config(n_jobs=3):
        assert count() == 1
        with alone():
            assert n_threads() == 1
        assert n_threads() == 3
        with pytest.raises(ZeroDivisionError), alone():
            raise ZeroDivisionError
        assert n_threads() == 3


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_results_come_in_order(n_jobs):
    later = threading.Event()

    def wait_first(item):
        if n_jobs > 1 and item == 0:
            assert later.wait(10)  # the second is done before the first
        later.set()
        return item**2

    with parallel_config(n_jobs=n_jobs):
        assert list(map_ahead(wait_first, iter(range(9)))) == [i**2 for i in range(9)]
        assert list(map_ahead(wait_first, [])) == []


def test_work_that_is_not_worth_threads_stays_in_this_thread():
    with parallel_config(n_jobs=2):
        found = in_threads(lambda _: threading.current_thread(), range(3), worth=False)
    assert found == [threading.current_thread()] * 3


def test_items_do_not_pile_up():
    drawn = []

    def items():
        for item in range(100):
            drawn.append(item)
            yield item

    with parallel_config(n_jobs=2):
        results = map_ahead(lambda item: item, items())
        for taken in range(20):
            assert next(results) == taken
            assert len(drawn) <= taken + 2 + 2
        results.close()
    assert len(drawn) < 30


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
def test_an_error_stops_the_rest_and_leaves_no_thread(stop):
    begun = []

    def work(item):
        begun.append(item)
        if item == 3:
            raise stop("bad item")
        return item

    before = threading.active_count()
    with parallel_config(n_jobs=2), pytest.raises(stop, match="bad item"):
        for _ in map_ahead(work, range(1000)):
            pass
    assert len(begun) < 20
    assert threading.active_count() == before


def test_an_error_of_the_items_comes_through():
    def items():
        yield 1
        raise OSError("gone")

    before = threading.active_count()
    with parallel_config(n_jobs=2), pytest.raises(OSError, match="gone"):
        list(map_ahead(str, items()))
    assert threading.active_count() == before
