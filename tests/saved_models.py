"""One small fitted estimator of every kind that can be saved, and what it answers to some rows.

``tools/write_model_files.py`` writes them to ``tests/data/models``; ``tests/test_model_formats.py``
loads them.
"""

import random

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from untie import UNTIE, Gaussian, Polynomial, Preparer, TableClusterer, TableEncoder
from untie.cluster import KModes, KPrototypes, LatentClasses

N_ASKED = 8
"""So many rows are kept with their answers."""


def people(n=48):
    """Return a table to prepare: an id, numbers in two writings, dates, words, missing cells."""
    draws = random.Random(5)
    rows = []
    for number in range(n):
        kind = number % 2
        pet = ["cat", "dog"][kind] if draws.random() < 0.8 else "fish"
        home = ["farm", "flat"][kind] if draws.random() < 0.8 else "boat"
        paid = f"{draws.randint(1, 40) / 4 + 20 * kind:.2f}".replace(".", ",") + " kg"
        born = f"{draws.randint(1, 28):02}/{draws.randint(1, 12):02}/{1950 + draws.randint(0, 40)}"
        age = None if number % 11 == 0 else draws.randint(18, 40) + 30 * kind + 0.5
        rows.append([f"p{number:03}", age, paid, born, pet if number % 7 else None, home])
    return pd.DataFrame(rows, columns=["person", "age", "paid", "born", "pet", "home"])


def words(n=48):
    """Return a table of categories, some of them rare."""
    table = people(n)[["pet", "home"]]
    draws = random.Random(7)
    table["town"] = [draws.choice("aaaabbbbccd") for _ in range(n)]
    table["size"] = [["S", "M", "L"][(number % 2) + draws.randint(0, 1)] for number in range(n)]
    return table


def travelers(n=48):
    """Return the people, and what each of them uses, which is a list."""
    draws = random.Random(9)
    uses = [draws.sample(["bus", "bike", "car"], draws.randint(1, 3)) for _ in range(n)]
    return people(n).assign(uses=[";".join(some) for some in uses])


MODELS = {
    "preparer": lambda: (Preparer(bins=3, date_parts=["month"]), travelers()),
    "encoder": lambda: (TableEncoder(2, preparer=Preparer(bins=3)), people()),
    "components": lambda: (
        TableEncoder(
            2,
            preparer=None,
            n_components=3,
            min_frequency=4,
            missing="neutral",
            ordered={"size": ["S", "M", "L"]},
            column_weights={"town": 0, "home": 2},
            handle_unknown="infrequent_if_exist",
        ),
        words(),
    ),
    "untie": lambda: (UNTIE(2, kernels=[Gaussian(0.5), Polynomial(2)]), words()),
    "clusterer": lambda: (TableClusterer(preparer=Preparer(bins=3)), people()),
    "clusterer-of-kernels": lambda: (
        TableClusterer(2, encoder=UNTIE(solver="uniform", kernels="F1"), preparer=None),
        words(),
    ),
    "pipeline": lambda: (
        make_pipeline(Preparer(bins=3), TableClusterer(2, preparer=None)),
        people(),
    ),
    "kmodes": lambda: (KModes(2), words()),
    "kprototypes": lambda: (KPrototypes(2), people()[["age", "pet", "home"]]),
    "latent-classes": lambda: (LatentClasses(2), words()),
}
"""Estimators that are not fitted, each with its table, by the names of their files."""


def asked_rows(table):
    """Return rows as JSON has them, column by column; the last has a new word and a far number."""
    asked = table[1 :: len(table) // N_ASKED - 1][:N_ASKED]
    columns = {}
    for name in asked:
        cells = asked[name].astype(object).where(asked[name].notna(), None).tolist()
        is_number = any(isinstance(cell, float) for cell in cells)
        columns[name] = [*cells[:-1], 1e6] if is_number else cells
    columns[name][-1] = "new"
    return columns


def answers(model, columns):
    """Return what a fitted model makes of rows, as JSON has it."""
    rows = pd.DataFrame(columns)
    found = {}
    if hasattr(model, "transform"):
        made = model.transform(rows)
        is_frame = isinstance(made, pd.DataFrame)
        cells = made.astype(object).where(made.notna(), None).to_numpy() if is_frame else made
        found["transform"] = np.asarray(cells).tolist()
    if hasattr(model, "predict"):
        found["predict"] = model.predict(rows).tolist()
    return found
