"""How long importing takes, next to importing scikit-learn's base.

Every import runs in a fresh process, in turns, and the median of all rounds counts. The clock
starts when Python has started, and counts processor time, which others on the machine change
little. Modules are compiled once, in a round before, as pip compiles what it installs. Names are
imported when they are first asked for, so `import untie` alone costs next to nothing; `from untie
import UNTIE, TableEncoder` is what a script pays.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from _timing import parse_quick, print_table, print_verdict

BASE = "import sklearn.base"
IMPORTS = (BASE, "import untie", "from untie import UNTIE", "from sklearn.cluster import KMeans")
LIMITS = {"import untie": 1.3, "from untie import UNTIE": 1.3}
"""Times that of `BASE`, at most."""

SCRIPT = "from time import process_time as now; start = now(); {}; print(now() - start)"


def main() -> None:
    repeats = 7 if parse_quick(__doc__) else 25
    times: dict[str, list[float]] = {line: [] for line in IMPORTS}
    for number in range(repeats + 1):
        for line in IMPORTS:
            seconds = seconds_of(line)
            if number:  # the first round compiles, and fills the disk's cache
                times[line].append(seconds)
    medians = {line: float(np.median(found)) for line, found in times.items()}
    rows = [(line, 1000 * time, time / medians[BASE]) for line, time in medians.items()]
    print_table(["", "median (ms)", f"/ {BASE}"], rows)
    for line, limit in LIMITS.items():
        print_verdict(f"{line} / {BASE}", medians[line] / medians[BASE], limit)


def seconds_of(line: str) -> float:
    """Return how long a fresh process takes for a line."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a container may have it
    call = [sys.executable, "-c", SCRIPT.format(line)]
    done = subprocess.run(call, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


if __name__ == "__main__":
    main()
