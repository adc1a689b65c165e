"""Load bad model files in a process that has little memory, and tell what came of each.

``python try_models.py SEED NUMBER MODEL...`` tries at most that many faults of each kind on each
model, the same ones for a seed. What is about to be tried is printed before, so that a crash has a
name.

What is promised: a file that was damaged is refused. A file that was made by someone is refused
with a `ValueError` that names it, or loaded; what was loaded gives finite vectors, one for each
row, or an error. They need not be those of the good model: who may compute the checksum may write
other numbers into the file.
"""

import os
import random
import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np

with suppress(ImportError):  # on Windows, where only others import from here
    import resource

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.model_faults import crafted, damage
from fuzz.models import MODELS
from untie import load_model, save_model

ROOM = 3 * 2**29
"""A bad file may take this many bytes more than a good one, those that make it included."""


def main(seed: int, n: int, names: list[str]) -> int:
    """Return the number of faults that were neither refused nor harmless."""
    warnings.simplefilter("ignore")
    n_bad = 0
    for name in names:
        model, table = MODELS[name]()
        model.fit(table)
        draws = random.Random(f"{seed} {name}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.untie"
            save_model(model, path)
            whole = path.read_bytes()
            expected = vectors(load_model(path), table)
            limit_memory()
            faults = [(f, True) for f in pick(damage(whole, draws, n), n, draws)]
            for kind in crafted(whole, draws, n).values():
                faults += [(f, False) for f in pick(kind, n, draws)]
            for (what, make), is_damage in faults:
                print(f"{name}: {what}", flush=True)
                path.write_bytes(make())
                found = attempt(path, table, expected, is_damage)
                if found:
                    n_bad += 1
                    print(f"FAILED {name}: {what}: {found}", flush=True)
    return n_bad


def pick(faults, n: int, draws: random.Random) -> list:
    """Return some faults; all if there are no more."""
    every = list(faults)
    return draws.sample(every, min(n, len(every)))


def attempt(path: Path, table, expected, is_damage: bool) -> str | None:
    """Return what is wrong with how a bad file was taken, None if nothing is."""
    try:
        model = load_model(path)
    except ValueError as error:
        text = str(error)
        if str(path) not in text:
            return f"the file is not named: {text}"
        return f"bad advice: {text}" if "pickle" in text.lower() else None
    except BaseException as error:
        return f"{type(error).__name__} instead of ValueError: {error}"
    if is_damage:
        return "loaded"
    try:
        found = vectors(model, table)
    except (ValueError, TypeError):
        return None
    except BaseException as error:
        return f"transform: {type(error).__name__}: {error}"
    # Numbers that may be there are taken, but they are numbers, and as many as there should be.
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        return "vectors that are not finite"
    return None if found.shape[0] == expected.shape[0] else f"vectors of shape {found.shape}"


def vectors(model, table) -> np.ndarray:
    """Return what a model makes of a table, as an array."""
    found = model.transform(table) if hasattr(model, "transform") else model.predict(table)
    found = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    return found if found.dtype.kind == "f" else found.astype(str)  # what is prepared is words


def limit_memory() -> None:
    """Let the process take little more memory than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    now = pages * os.sysconf("SC_PAGE_SIZE")
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, hard))


if __name__ == "__main__":
    seed, n, *names = sys.argv[1:]
    sys.exit(min(main(int(seed), int(n), names), 100))
