"""Which files have no doctests to run: without PyTorch, those that import it."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["src/untie_paper/baselines/_deep"]
