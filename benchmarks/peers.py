"""TableClusterer and eleven published methods on the same 25 tables.

The methods' clusters are not computed here: they are the runs that the authors of K-MHTC stored
(L. Hu et al., ACM Transactions on Knowledge Discovery from Data 19(5), 2025,
doi 10.1145/3735977), on their tables. All have the number of classes as their number of clusters,
but SigDT chooses its own. A stored run is one start, so each method is scored by the mean over its
runs and, again, by its run of the highest description gain; columns that say the same share a vote
in it, unless --equal-votes is given.

`TableClusterer` is run here with seeds 0 to 4, and its scores are means over them. It has its own
number of starts; k-means on the vectors and on one-hot cells has 20, latent classes and StepMix
have 10 (StepMix 3 on more than 5,000 rows). These are called forms.

A rank is that on a table, 1 is best, and ties share. The methods are ranked among themselves and
the first form; every other form is ranked in its place. Scores are times 100. A win is by more than
half a point.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

from _timing import print_table
from quality.held_back import is_held_back
from quality.peer_scores import (
    FORMS,
    MEASURES,
    PEERS,
    SCORINGS,
    SEEDS,
    score_form,
    score_stored,
    stored_runs,
)
from quality.summaries import TIE, mean_ranks
from quality.tables import LabeledTable, peer_tables
from untie_paper.evaluation import bonferroni_dunn, friedman, nemenyi

VARIABLE = "UNTIE_PEERS"
ALPHA = 0.05

PARTS = {"all": "All tables", "seen": "Tables seen", "held-out": "Tables held out"}
MISSING = f"""\
There are no {{what}}.
Name a folder by --folder or by the environment variable {VARIABLE}. It must hold
- tables/*.csv: integer codes, the class in the first column, which is called class;
- partitions.npz: "TABLE|METHOD" -> cluster numbers, an array of shape (rows, runs), for the methods
  {", ".join(PEERS)}.
They are made from what the authors of K-MHTC published (ACM TKDD 19(5), 2025,
doi 10.1145/3735977; GitHub hulianyu/MHTC)."""

Frames = dict[tuple[str, str], pd.DataFrame]
"""By scoring and measure: a row per table, a column per method."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help=f"where the data is; else {VARIABLE} says so")
    parser.add_argument("--part", choices=PARTS, default="all", help="compute these tables only")
    parser.add_argument("--forms", choices=FORMS, nargs="+", default=[*FORMS], help="run these")
    parser.add_argument("--ranked", choices=FORMS, help="rank this form; else the first")
    parser.add_argument(
        "--equal-votes", action="store_true", help="one vote per column in the description gain"
    )
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds per form [default: 5]")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    ranked = options.ranked or options.forms[0]
    forms = [ranked, *(form for form in options.forms if form != ranked)]
    folder = find_folder(options.folder)
    tables = [t for t in peer_tables(folder / "tables") if is_in(t.name, options.part)]
    partitions = folder / "partitions.npz"
    found = score_all(tables, partitions, forms, options.equal_votes, options.seeds, options.jobs)
    for part, title in PARTS.items():
        names = [table.name for table in tables if is_in(table.name, part)]
        # Of one part, "all" would be the same again.
        if names and options.part in ("all", part):
            report({key: frame.loc[names] for key, frame in found.items()}, forms, title)
    report_tables(found, tables)


def find_folder(given: Path | None) -> Path:
    """Return the folder of the data, or stop and say what it must hold."""
    folder = given or Path(os.environ.get(VARIABLE, ""))
    if not (given or os.environ.get(VARIABLE)):
        raise SystemExit(MISSING.format(what="tables and partitions to compare with"))
    for what, path in (("tables", "tables/*.csv"), ("partitions", "partitions.npz")):
        if not any(folder.glob(path)):
            raise SystemExit(MISSING.format(what=f"{what} ({path}) in {str(folder)!r}"))
    return folder


def is_in(name: str, part: str) -> bool:
    return part == "all" or is_held_back(name) == (part == "held-out")


def score_all(
    tables: Sequence[LabeledTable],
    partitions: Path,
    forms: Sequence[str],
    equal_votes: bool,
    n_seeds: int,
    n_jobs: int,
) -> Frames:
    """Score our clusters and the stored ones on every table."""
    jobs = []
    for table in sorted(tables, key=lambda table: -len(table.X)):  # the longest first
        jobs += [delayed(score_form)(table, form, n_seeds) for form in forms]
        jobs.append(delayed(score_stored)(table, stored_runs(partitions, table.name), equal_votes))
    found = Parallel(n_jobs, batch_size=1)(jobs)
    lines = pd.DataFrame([score for scores in found for score in scores])
    names, methods = [table.name for table in tables], [*forms, *PEERS.values()]
    return {
        (str(scoring), str(measure)): chosen.pivot(index="table", columns="method", values="points")
        .loc[names, methods]
        .round(6)  # equal but for rounding is equal
        for (scoring, measure), chosen in lines.groupby(["scoring", "measure"])
    }


def report(found: Frames, forms: Sequence[str], title: str) -> None:
    n_sets = len(next(iter(found.values())))
    n_methods = 1 + len(PEERS)
    print(f"# {title} ({n_sets})\n")
    for scoring in SCORINGS:
        frames = {measure: found[scoring, measure] for measure in MEASURES}
        print(f"## {title}: {scoring}\n")
        report_means(frames, forms)
        if n_sets > 1:
            report_control(frames, forms[0], bonferroni_dunn(n_methods, n_sets, ALPHA))
            report_pairs(frames, forms[0], nemenyi(n_methods, n_sets, ALPHA))
        report_wins(frames, forms)


def report_means(frames: dict[str, pd.DataFrame], forms: Sequence[str]) -> None:
    ranks = {measure: mean_ranks(frame, forms) for measure, frame in frames.items()}
    header = ["method", *(text for measure in MEASURES for text in (measure, "median", "rank"))]
    rows = [
        (
            method,
            *(
                float(value)
                for measure, frame in frames.items()
                for value in (
                    frame[method].mean(),
                    frame[method].median(),
                    ranks[measure][method],
                )
            ),
        )
        for method in [*forms, *PEERS.values()]
    ]
    print_table(header, rows)


def report_control(frames: dict[str, pd.DataFrame], control: str, distance: float) -> None:
    print(f"Friedman's test, and who differs from {control} (Bonferroni-Dunn, alpha {ALPHA:g}):")
    print(f"mean ranks that are more than {distance:.2f} apart.\n")
    rows = []
    for measure, frame in frames.items():
        test = friedman(frame[[control, *PEERS.values()]])
        ranks = mean_ranks(frame[[control, *PEERS.values()]], [control])
        ahead, behind = ahead_of(control, ranks, distance), behind_of(control, ranks, distance)
        rows.append((measure, test.chi2, test.p_value, test.f_p_value, ahead, behind))
    header = ["measure", "chi2", "p", "p of Iman and Davenport"]
    print_table([*header, f"{control} is ahead of", f"{control} is behind"], rows)


def report_pairs(frames: dict[str, pd.DataFrame], control: str, distance: float) -> None:
    print(f"Who differs from whom (Nemenyi, alpha {ALPHA:g}): mean ranks that are more than")
    print(f"{distance:.2f} apart.\n")
    rows = []
    for measure, frame in frames.items():
        ranks = mean_ranks(frame[[control, *PEERS.values()]], [control])
        for method in sorted(ranks, key=lambda name: ranks[name]):
            names = ahead_of(method, ranks, distance)
            rows += [(measure, method, names)] if names else []
    print_table(["measure", "method", "is ahead of"], rows)


def ahead_of(method: str, ranks: dict[str, float], distance: float) -> str:
    return ", ".join(name for name in ranks if ranks[name] - ranks[method] > distance)


def behind_of(method: str, ranks: dict[str, float], distance: float) -> str:
    return ", ".join(name for name in ranks if ranks[method] - ranks[name] > distance)


def report_wins(frames: dict[str, pd.DataFrame], forms: Sequence[str]) -> None:
    control, *others = forms
    print(f"Tables on which {control} is better, within {TIE:g} points, and worse.\n")
    rows = [
        (other, *(_wins(frame[control] - frame[other]) for frame in frames.values()))
        for other in [*others, *PEERS.values()]
    ]
    print_table(["against", *frames], rows)


def _wins(differences: pd.Series) -> str:
    ahead, behind = int((differences > TIE).sum()), int((differences < -TIE).sum())
    return f"{ahead} / {len(differences) - ahead - behind} / {behind}"


def report_tables(found: Frames, tables: Sequence[LabeledTable]) -> None:
    for scoring in SCORINGS:
        print(f"# Every table: ARI, {scoring}\n")
        frame = found[scoring, "ARI"]
        rows = [
            (
                table.name,
                "held out" if is_held_back(table.name) else "seen",
                *map(int, (*table.X.shape, table.n_classes)),
                *map(float, frame.loc[table.name]),
            )
            for table in tables
        ]
        sizes = ["rows", "columns", "classes"]
        print_table(["table", "part", *sizes, *frame.columns], rows)


if __name__ == "__main__":
    main()
