"""Time and memory of ``untie report`` on a large table, and how fast its page opens.

The table has 10^6 rows and 20 columns: 16 of text with 4 to 20 values, two of numbers, an id and a
constant. Memory is the highest resident size of the process. The page is opened in Chromium, if
there is one and playwright is installed: from the start of navigation until a frame with the map
is drawn.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from _timing import parse_quick, print_table

DRAWN = """() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(
    () => resolve(performance.now()))))"""


def main() -> None:
    quick = parse_quick(__doc__)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n_rows in [20_000] if quick else [20_000, 1_000_000]:
            table, page = Path(folder) / "table.csv", Path(folder) / "page.html"
            write_table(table, n_rows)
            seconds, memory = run([sys.executable, "-m", "untie", "report", table, "-o", page])
            opened = open_page(page)
            rows.append((f"{n_rows:,}", seconds, memory, page.stat().st_size / 1e6, opened))
    print_table(["rows", "report (s)", "memory (GiB)", "page (MB)", "page opens (s)"], rows)


def write_table(path: Path, n_rows: int, seed: int = 0) -> None:
    """Write rows of four groups; a cell has a value of its group with a chance of 0.6."""
    rng = np.random.default_rng(seed)
    group = rng.integers(4, size=n_rows)
    columns: dict[str, object] = {"id": np.arange(n_rows), "constant": ["same"] * n_rows}
    for number in range(16):
        size = 4 + number
        names = np.array([f"value {number}.{value}" for value in range(size)])
        own, any_ = (group * (number + 1)) % size, rng.integers(size, size=n_rows)
        columns[f"column {number}"] = names[np.where(rng.random(n_rows) < 0.6, own, any_)]
    columns["amount"] = (rng.gamma(2.0, 20.0, n_rows) + 30 * group).round(2)
    columns["age"] = rng.integers(18, 90, n_rows)
    csv.write_csv(pa.table(columns), path)


def run(command: list[object]) -> tuple[float, float]:
    """Run a command; return its time and its highest resident size in GiB."""
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{command} ended with the status {status}.")
    return time.perf_counter() - start, usage.ru_maxrss / 2**20


def open_page(page: Path) -> float | str:
    """Return how long a browser takes to open and draw a page."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        return "no browser"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return "no playwright"
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = chromium.new_page()
        tab.goto(page.as_uri())
        milliseconds = float(tab.evaluate(DRAWN))
        chromium.close()
    return milliseconds / 1000


if __name__ == "__main__":
    main()
