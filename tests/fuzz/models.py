"""Models of many kinds, each with a small table."""

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from untie import UNTIE, Gaussian, Polynomial, Preparer, TableClusterer, TableEncoder
from untie.cluster import KModes, KPrototypes, LatentClasses


def words(n, n_columns, n_values, seed=0, kinds=2):
    """Return a table of words with some clusters."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, kinds, n)
    return pd.DataFrame(
        {
            f"c{column}": [
                f"v{(k * 3 + column) % n_values if rng.random() < 0.7 else rng.integers(n_values)}"
                for k in kind
            ]
            for column in range(n_columns)
        }
    )


def people(n=150):
    """Return a table that must be prepared."""
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 2, n)
    table = pd.DataFrame(
        {
            "id": [f"p{number}" for number in range(n)],
            "age": np.where(kind, rng.normal(60, 9, n), rng.normal(30, 9, n)).round(1),
            "paid": [f"{number / 7:.2f}".replace(".", ",") + " kg" for number in range(n)],
            "born": pd.date_range("1990-01-01", periods=n, freq="37D").strftime("%Y-%m-%d"),
            "pet": np.where(rng.random(n) < 0.9, np.array(["cat", "dog"])[kind], "fish"),
            "home": np.where(rng.random(n) < 0.9, np.array(["farm", "flat"])[kind], "boat"),
            "town": [f"t{number % 7}" for number in range(n)],
        }
    )
    table.loc[::9, "pet"] = None
    return table


def tall(n=1_300):
    """Return a table with a column of more values than kernels are formed for."""
    table = words(n, 3, 4)
    table["many"] = [f"m{number % 600}" for number in range(n)]
    return table


def large_and_small():
    """Return a table whose clusters end with moves of rows."""
    rng = np.random.default_rng(0)
    kind = rng.choice(3, 500, p=[0.8, 0.15, 0.05])
    return pd.DataFrame(
        {
            f"c{column}": np.where(rng.random(500) < 0.55, kind, rng.integers(0, 4, 500)).astype(
                str
            )
            for column in range(10)
        }
    )


MODELS = {
    "auto": lambda: (TableEncoder("auto", preparer=None), words(200, 5, 4)),
    "exact": lambda: (UNTIE(2, solver="exact"), words(60, 3, 3)),
    "lp, joint": lambda: (UNTIE(2, couplings="joint", solver="lp"), words(60, 3, 3)),
    "sparse": lambda: (TableEncoder(2, sparse_output=True, preparer=None), words(60, 3, 3)),
    "adam, kernels": lambda: (
        UNTIE(2, solver="adam", kernels=[Gaussian(0.5), Polynomial(2)], max_iter=20),
        words(60, 3, 3),
    ),
    "components": lambda: (
        TableEncoder(2, n_components=3, dtype=np.float32, preparer=None),
        words(60, 3, 4),
    ),
    "full": lambda: (UNTIE(2, solver="uniform", output="full"), words(60, 3, 3)),
    "rare": lambda: (TableEncoder(2, min_frequency=6, preparer=None), words(80, 3, 9)),
    "neutral": lambda: (
        TableEncoder(2, missing="neutral", preparer=None),
        words(80, 3, 3).replace({"c0": {"v1": None}}),
    ),
    "passive": lambda: (TableEncoder(2, column_weights={"c1": 0}, preparer=None), words(80, 3, 3)),
    "landmarks": lambda: (UNTIE(2, solver="uniform"), tall()),
    "tall": lambda: (TableEncoder(2, preparer=None), tall()),
    "ordered": lambda: (
        TableEncoder(2, ordered={"size": ["S", "M", "L"]}, preparer=None),
        words(90, 3, 3).assign(size=["S", "M", "L"] * 30),
    ),
    "preparer": lambda: (Preparer(bins=3, max_categories=5, date_parts=["month"]), people()),
    "answers": lambda: (
        TableEncoder(2, preparer=Preparer(sets=["uses"])),
        words(60, 2, 3).assign(uses=["bus;car", "bus", "car;bike", None] * 15),
    ),
    "clusterer": lambda: (TableClusterer(preparer=None), words(200, 5, 4)),
    "moved": lambda: (TableClusterer(3, preparer=None), large_and_small()),
    "prepared vectors": lambda: (TableEncoder(2, preparer=Preparer(bins=4)), people()),
    "default": lambda: (TableEncoder(), people()),
    "default clusters": lambda: (TableClusterer(2), people()),
    "clusters of kernels": lambda: (TableClusterer(2, encoder=UNTIE()), people()),
    "prepared": lambda: (TableClusterer(2, preparer=Preparer(bins=4)), people()),
    "pipeline": lambda: (make_pipeline(Preparer(bins=3), TableEncoder(2, preparer=None)), people()),
    "pipeline of clusters": lambda: (
        make_pipeline(
            Preparer(bins=3), TableClusterer(2, encoder=UNTIE(solver="uniform"), preparer=None)
        ),
        people(),
    ),
    "modes": lambda: (KModes(3), words(80, 3, 4)),
    "prototypes": lambda: (KPrototypes(2), people()[["age", "pet", "home"]]),
    "classes": lambda: (LatentClasses(2), words(80, 3, 4)),
}
"""Estimators that are not fitted, each with its table."""
