"""TableClusterer and what users would try, next to the figures printed in two recent papers.

DiSC ("Break the Tie", AAAI 2026) prints ACC and ARI of eleven methods on twelve tables; OCL (PACM
Management of Data, 2025) was evaluated on twelve, four of which both have. Their tables are used as
their authors coded them. What is run here has seeds 0 to 4, whatever they give, and the number of
classes as its number of clusters. The printed figures are not computed again.

The adjusted Rand index comes first: accuracy rewards lopsided clusters, so the share of the
largest class, which a single cluster would get, is printed next to it. A rank is that on a table, 1
is best, and ties share; the printed methods are ranked among themselves and TableClusterer, every
other form in its place. A method without a figure for a table is left out there. Wins and losses
are those of TableClusterer, by more than half a point. Scores are times 100.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from quality.held_back import is_held_back
from quality.peer_scores import MEAN, MEASURES, OWN_RUNS, SEEDS, score_form
from quality.summaries import print_rows, summary_rows
from quality.tables import LabeledTable, peer_tables

VARIABLE = "UNTIE_PEERS2"
DEFAULT, ONE_HOT = "TableClusterer", "one-hot + k-means"
PRINTED = ("ARI", "ACC")
FAR_BELOW = 2.0
"""Tables on which the default is this many points of ARI below one-hot encoding are named."""

OF_OCL = (
    *("amphibians", "breastlj", "caesarian", "creditau", "diagnosis", "hayesroth132"),
    *("lymphography148", "nursery", "soybean47", "tictactoe", "votes435", "zoo"),
)
MISSING = f"""\
There are no printed figures and tables to compare with.
Name a folder by --folder or by the environment variable {VARIABLE}. It must hold
- tables/*.csv.gz: codes, the class in the column class;
- published.csv with the columns table, measure, method, printed: scores between 0 and 1."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help=f"where the data is [default: {VARIABLE}]")
    parser.add_argument("--tables", nargs="+", metavar="NAME", help="run these tables only")
    parser.add_argument("--forms", choices=OWN_RUNS, nargs="+", default=[*OWN_RUNS])
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds per form [default: 5]")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    folder = options.folder or Path(os.environ.get(VARIABLE, ""))
    if not (folder / "published.csv").exists():
        raise SystemExit(MISSING)
    tables = [
        table
        for table in peer_tables(folder / "tables")
        if options.tables is None or table.name in options.tables
    ]
    found = score_all(tables, options.forms, options.seeds, options.jobs)
    printed = read_printed(folder / "published.csv")
    show_sizes(tables)
    report_printed(found, printed, options.forms)
    report_own(found, options.forms)
    report_below_one_hot(found["ARI"])


def score_all(
    tables: Sequence[LabeledTable], forms: Sequence[str], n_seeds: int, n_jobs: int
) -> dict[str, pd.DataFrame]:
    """Return the scores by measure: a row per table, a column per form."""
    order = sorted(tables, key=lambda table: -len(table.X))  # the longest first
    jobs = [delayed(score_form)(table, form, n_seeds) for table in order for form in forms]
    lines = pd.DataFrame([s for scores in Parallel(n_jobs, batch_size=1)(jobs) for s in scores])
    lines = lines[lines["scoring"] == MEAN]
    return {
        measure: lines[lines["measure"] == measure].pivot(
            index="table", columns="method", values="points"
        )[list(forms)]
        for measure in MEASURES
    }


def read_printed(path: Path) -> dict[str, pd.DataFrame]:
    """Return the printed scores, times 100, by measure; some are not printed."""
    lines = pd.read_csv(path, na_values="-")
    methods = list(dict.fromkeys(lines["method"]))
    return {
        str(measure): 100 * part.pivot(index="table", columns="method", values="printed")[methods]
        for measure, part in lines.groupby("measure")
    }


def show_sizes(tables: Sequence[LabeledTable]) -> None:
    rows = []
    for table in tables:
        largest = 100 * np.bincount(table.y).max() / len(table.y)
        part = "held out" if is_held_back(table.name) else "seen"
        rows.append((table.name, part, *table.X.shape, table.n_classes, f"{largest:.1f}"))
    print("## The tables\n")
    print_rows(["table", "part", "rows", "columns", "classes", "largest class"], rows)


def report_printed(
    found: dict[str, pd.DataFrame], printed: dict[str, pd.DataFrame], forms: Sequence[str]
) -> None:
    """Compare with the printed scores on the tables that have any."""
    for measure in PRINTED:
        frame = found[measure].join(printed[measure], how="inner")
        if frame.empty:
            continue
        print(f"## Printed and measured: {measure}\n")
        rows = summary_rows(frame, parts(frame), forms[0], digits=1, forms=forms)
        print_rows(["table", *frame.columns], [*table_rows(frame), *rows])


def parts(frame: pd.DataFrame) -> dict[str, list[str]]:
    return {
        "all": [*frame.index],
        "seen": [name for name in frame.index if not is_held_back(name)],
        "held out": [name for name in frame.index if is_held_back(name)],
    }


def report_own(found: dict[str, pd.DataFrame], forms: Sequence[str]) -> None:
    """Compare what is run here on all tables."""
    for measure, frame in found.items():
        print(f"## Measured, all tables: {measure}\n")
        groups = {**parts(frame), "OCL's twelve": OF_OCL}
        rows = [*table_rows(frame), *summary_rows(frame, groups, forms[0], digits=1)]
        print_rows(["table", *frame.columns], rows)


def table_rows(frame: pd.DataFrame) -> list[list[str]]:
    return [
        [str(name), *("-" if np.isnan(cell) else f"{cell:.1f}" for cell in line)]
        for name, line in zip(frame.index, frame.to_numpy(), strict=True)
    ]


def report_below_one_hot(frame: pd.DataFrame) -> None:
    if not {DEFAULT, ONE_HOT} <= set(frame.columns):
        return
    print(f"## Tables on which {DEFAULT} is more than {FAR_BELOW:g} points of ARI below one-hot\n")
    behind = (frame[ONE_HOT] - frame[DEFAULT]).sort_values(ascending=False)
    rows = [
        (name, f"{frame[DEFAULT][name]:.1f}", f"{frame[ONE_HOT][name]:.1f}", f"{gap:.1f}")
        for name, gap in behind[behind > FAR_BELOW].items()
    ]
    print_rows(["table", DEFAULT, ONE_HOT, "behind by"], rows)


if __name__ == "__main__":
    main()
