"""Time and memory of ``untie report`` on a tall and a wide table, and how fast its page opens.

The tall table has 10^6 rows and 20 columns: 16 of text with 4 to 20 values, two of numbers, an id
and a constant. The wide one has 2,000 rows and 220 columns: 190 of text with 2 to 20 values, of
which every third tells of five groups, and 30 of numbers. Memory is the highest resident size of
the process. The yardstick, in a process of its own, reads the same file and runs scikit-learn's
OneHotEncoder, TruncatedSVD with 20 components and KMeans with 8 clusters on it, numbers cut into
35 ranges. Both are compared by processor time, of which a busy machine takes no more; on several
cores the report takes less time than that, as its sections are made several at once.

Then come the stages of each report, one after another in this process, and what share of the
processor time each takes. The page is opened in Chromium, if there is one and playwright is
installed: from the start of navigation until a frame with the map is drawn.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet

from _timing import parse_quick, print_table
from untie import TableClusterer
from untie._inputs import as_fitted
from untie._table.frames import coded_once
from untie.explain import verdict
from untie.report._study import Study
from untie.report.code import PageCode
from untie.report.making import SECTIONS

DRAWN = """() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(
    () => resolve(performance.now()))))"""


YARDSTICK = "--yardstick"


def main() -> None:
    if YARDSTICK in sys.argv:
        sklearn_instead(Path(sys.argv[-1]))
        return
    quick = parse_quick(__doc__)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        tables = {
            "wide": wide_table(500 if quick else 2_000),
            "tall": tall_table(20_000 if quick else 1_000_000),
        }
        for shape, table in tables.items():
            paths = [Path(folder) / f"{shape}.csv", Path(folder) / f"{shape}.parquet"]
            csv.write_csv(table, paths[0])
            parquet.write_table(table, paths[1])
            rows += [measured(path, table) for path in paths]
    header = ["table", "report (s)", "processor (s)", "yardstick (s)", "times", "memory (GiB)"]
    print_table([*header, "page (MB)", "page opens (s)"], rows)
    for shape, table in tables.items():
        print(f"The {shape} table, stage by stage:\n")
        print_stages(table.to_pandas())


def measured(path: Path, table: pa.Table) -> tuple[object, ...]:
    """Report on a file, and say how that went."""
    page = path.with_suffix(".html")
    wall, work, memory = run([sys.executable, "-m", "untie", "report", path, "-o", page])
    _, yardstick, _ = run([sys.executable, __file__, YARDSTICK, path])
    name = f"{table.num_rows:,} x {table.num_columns}, {path.suffix[1:]}"
    size = page.stat().st_size / 1e6
    return name, wall, work, yardstick, work / yardstick, memory, size, open_page(page)


def print_stages(data: pd.DataFrame) -> None:
    """Print how long each stage of a report of a table in memory takes."""
    times: dict[str, float] = {}
    before = time.process_time()
    for name in stages(data):
        times[name] = time.process_time() - before
        before = time.process_time()
    total = sum(times.values())
    lines = [(name, spent, f"{spent / total:.0%}") for name, spent in times.items()]
    print_table(["stage", "processor (s)", "share"], [*lines, ("all", total, "100%")])


def stages(data: pd.DataFrame) -> Iterator[str]:
    """Do what a report does, and give the name of each stage after it."""
    clusterer = TableClusterer().fit(data)
    yield "learning, with the number of clusters"
    fitted = as_fitted(clusterer)
    frame = coded_once(fitted.rows(data)[0])
    yield "preparing once more"
    said = verdict(fitted.clusters, frame)
    yield "judging"
    labels = clusterer.labels_.astype(np.intp)
    about = (0, PageCode(clusterer))
    study = Study(fitted.encoder, frame, labels, None, said, fitted.preparer, None, *about)
    for section in SECTIONS:
        section.make(study)
        yield f"section: {section.heading}"


def tall_table(n_rows: int, seed: int = 0) -> pa.Table:
    """Return rows of four groups; a cell has a value of its group with a chance of 0.6."""
    rng = np.random.default_rng(seed)
    group = rng.integers(4, size=n_rows)
    columns: dict[str, object] = {"id": np.arange(n_rows), "constant": ["same"] * n_rows}
    for number in range(16):
        columns[f"column {number}"] = text_column(rng, group, number, 4 + number, 0.6)
    columns["amount"] = (rng.gamma(2.0, 20.0, n_rows) + 30 * group).round(2)
    columns["age"] = rng.integers(18, 90, n_rows)
    return pa.table(columns)


def wide_table(n_rows: int, n_columns: int = 220, seed: int = 0) -> pa.Table:
    """Return rows of five groups, which a third of the columns tell of with a chance of 0.5."""
    rng = np.random.default_rng(seed)
    group = rng.integers(5, size=n_rows)
    columns: dict[str, object] = {}
    for number in range(n_columns):
        if number % 7 == 3 and number < 210:
            shift = 15.0 * ((group * (number + 1)) % 5)
            columns[f"number {number}"] = (rng.gamma(2.0, 20.0, n_rows) + shift).round(2)
        else:
            chance = 0.0 if number % 3 else 0.5
            size = 2 + number % 19
            columns[f"column {number}"] = text_column(rng, group, number, size, chance)
    return pa.table(columns)


def text_column(rng: np.random.Generator, group: Any, number: int, size: int, chance: float) -> Any:
    """Return cells that have a value of their group with this chance, else any."""
    names = np.array([f"value {number}.{value}" for value in range(size)])
    own, any_ = (group * (number + 1)) % size, rng.integers(size, size=len(group))
    return names[np.where(rng.random(len(group)) < chance, own, any_)]


def sklearn_instead(path: Path) -> None:
    """Read a table and cluster it as one would with scikit-learn."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import OneHotEncoder

    data = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    for name in data.select_dtypes("number"):
        data[name] = pd.qcut(data[name], 35, duplicates="drop").astype(str)
    hot = OneHotEncoder().fit_transform(data)
    reduced = TruncatedSVD(20, random_state=0).fit_transform(hot)
    KMeans(8, n_init=10, random_state=0).fit(reduced)


def run(command: list[object]) -> tuple[float, float, float]:
    """Run a command; return its time, its processor time and its highest resident size in GiB."""
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{command} ended with the status {status}.")
    wall = time.perf_counter() - start
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20


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
