"""Results do not depend on BLAS threads, and threads of the user lose no rows."""

import copy
import os
import pickle
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tables import encoder_of, latent_classes
from untie import UNTIE, TableEncoder
from untie._util.threads import _LOCKS, one_thread


@pytest.mark.parametrize("solver", ["auto", "exact", "uniform"])
@pytest.mark.parametrize("n_columns", [4, 20])
def test_one_and_two_threads_learn_the_same_bits(solver, n_columns):
    """Of 640 values in columns of 160 or 32; and of the components that are taken of them."""
    table, _ = latent_classes(1000, 3, n_columns, 640 // n_columns, seed=0)
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            short = encoder_of(3, solver=solver, n_components=5, random_state=0).fit(table)
            whole = encoder_of(3, solver=solver, random_state=0).fit(table)
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


def test_partial_fit_from_many_threads_counts_every_row(monkeypatch):
    """Each thread waits, after it has read what was counted before, until the others could too."""
    table, _ = latent_classes(100, 3, 4, 3, seed=0)
    chunks = [table[start : start + 10] for start in range(0, 100, 10)]
    read = UNTIE._counted_so_far

    def read_and_wait(encoder):
        counted = read(encoder)
        time.sleep(0.01)
        return counted

    monkeypatch.setattr(TableEncoder, "_counted_so_far", read_and_wait)
    encoder = UNTIE(3, solver="uniform").partial_fit(chunks[0])
    with ThreadPoolExecutor(5) as threads:
        list(threads.map(encoder.partial_fit, chunks[1:]))
    whole = UNTIE(3, solver="uniform").fit(table)
    assert encoder.counts_.n_rows == 100
    np.testing.assert_allclose(encoder.similarity(table), whole.similarity(table), atol=1e-12)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_forked_during_a_fit_can_fit():
    """The lock that a thread of the parent holds is not held in the child."""
    table, _ = latent_classes(30, 3, 4, 3, seed=0)
    encoder = UNTIE(3, solver="uniform").fit(table)
    held, done = threading.Event(), threading.Event()

    def hold():
        with _LOCKS.of(encoder):
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        encoder.partial_fit(table)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    done.set()
    thread.join()
    assert status == 0


def test_estimators_with_a_lock_can_be_copied_and_pickled():
    table, _ = latent_classes(30, 3, 4, 3, seed=0)
    encoder = UNTIE(3, solver="uniform").partial_fit(table)
    for other in (copy.deepcopy(encoder), pickle.loads(pickle.dumps(encoder))):
        assert other.partial_fit(table).counts_.n_rows == 60
    assert encoder.counts_.n_rows == 30


def test_transform_during_partial_fit_uses_one_model():
    """Chunks bring new values, so the codes of one model would be wrong for another."""
    rows = [[f"{letter}{i % 3}", f"{letter}{i**2 % 5}"] for letter in "zyxwvu" for i in range(12)]
    table = np.array(rows, dtype=object)
    encoder = UNTIE(2, solver="uniform").partial_fit(table[:12])
    later = [copy.copy(encoder).partial_fit(table[12:end]) for end in range(24, 73, 12)]
    models = [model.similarity(table[:12]) for model in (encoder, *later)]
    seen, stop = [], threading.Event()

    def look():
        while not stop.is_set():
            seen.append(encoder.similarity(table[:12]))

    with ThreadPoolExecutor(1) as threads:
        looking = threads.submit(look)
        for start in range(12, 72, 12):
            encoder.partial_fit(table[start : start + 12])
        stop.set()
        looking.result()
    assert seen
    assert all(min(np.abs(found - model).max() for model in models) < 1e-9 for found in seen)
