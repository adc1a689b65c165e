"""`random_state` means the same wherever a user meets it."""

import importlib
import inspect

import numpy as np
import pytest

from untie._util.checks import draws_of

PACKAGES = ("untie", "untie.cluster", "untie.comparison", "untie.datasets",
            "untie.explain", "untie.plot")  # fmt: skip


def seeded():
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            called = getattr(module, name)
            if callable(called) and not inspect.ismodule(called):
                parameters = inspect.signature(called).parameters
                if "random_state" in parameters:
                    yield pytest.param(parameters["random_state"], id=f"{package}.{name}")


@pytest.mark.parametrize("parameter", list(seeded()))
def test_the_default_is_the_seed_0_everywhere(parameter):
    assert parameter.default in (None, 0)


def test_none_is_the_seed_0_and_a_random_state_goes_on():
    def draw(random_state):
        return draws_of(random_state).randint(2**31)

    assert draw(None) == draw(None) == draw(0) != draw(1)
    draws = np.random.RandomState(0)
    assert draw(draws) != draw(draws)
