"""What the package answers about a list of rows, with whatever libraries are installed.

    python tests/core_jobs.py polars    # as if of the frame libraries only polars were installed

prints every answer as JSON. Nothing but numpy, scikit-learn and the package is imported here.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

FRAMES = ["pandas", "polars", "pyarrow"]
OTHERS = ["duckdb", "dask", "pyspark", "typer", "rich", "jinja2", "matplotlib", "onnx", "torch"]
OTHERS += ["openpyxl", "fsspec"]


class Absent:
    """Finds none of the libraries that extras bring, but for some."""

    def __init__(self, present):
        self.names = {*FRAMES, *OTHERS} - {*present}

    def find_spec(self, name, *_):
        if name.split(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def rows():
    """Return three kinds of drinks; the last column has a number of its own for most rows."""
    rng = np.random.default_rng(0)
    kinds = [["wine", "red", "dry"], ["beer", "pale", "bitter"], ["milk", "white", "sweet"]]
    drawn = [kinds[kind] for kind in rng.integers(3, size=120).tolist()]
    prices = rng.normal(10, 3, size=120).round(2).tolist()
    table = [[*row, price] for row, price in zip(drawn, prices, strict=True)]
    for row in (3, 40, 80):
        table[row] = [None, *table[row][1:]]
    return table


def fields():
    """Return the rows as a structured array."""
    kinds = [("drink", object), ("color", object), ("taste", object), ("price", float)]
    return np.array([tuple(row) for row in rows()], dtype=kinds)


def answers():
    """Return the answers of every public function, by its name."""
    from sklearn.pipeline import make_pipeline

    import untie
    from untie import baselines, datasets, evaluation, explain
    from untie.cluster import KModes
    from untie.comparison import compare

    table = rows()
    texts = [row[:3] for row in table]
    encoder = untie.TableEncoder(3, preparer=None).fit(texts)
    options = {"preparer": untie.Preparer(), "random_state": 0}
    clusterer = untie.TableClusterer(**options).fit(table)
    labels = clusterer.labels_
    preparer = untie.Preparer().fit(table)
    modes = KModes(3, random_state=0).fit(texts)
    mca = baselines.MCA().fit(texts)
    distance = baselines.Hamming().fit(texts)
    named = untie.TableClusterer(3, **options).fit(fields())
    pipeline = make_pipeline(untie.Preparer(), untie.TableEncoder(3, preparer=None)).fit(table)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.untie"
        clusterer.save(path)
        loaded = untie.load_model(path)
        untie.save_model(pipeline, path)
        again = untie.load_model(path)
    animals, kinds = datasets.load("zoo")
    drift = explain.drift(untie.TableEncoder(3).fit(texts[:60]), texts[60:])
    verdict = explain.verdict(clusterer, table, random_state=0)
    return {
        "transform": encoder.transform(np.array(texts, dtype=object)),
        "similarity": encoder.similarity(texts[:5]),
        "value_vectors": encoder.value_vectors(),
        "value_similarity": encoder.value_similarity("x0"),
        "weights": encoder.weights(),
        "feature names": encoder.get_feature_names_out(),
        "kernel_errors": encoder.kernel_errors(),
        "fit_counts": untie.TableEncoder(3, preparer=None)
        .fit_counts(untie.count_table(texts))
        .value_vectors(),
        "partial_fit": untie.TableEncoder(3, preparer=None)
        .partial_fit(texts[:60])
        .partial_fit(texts[60:])
        .weights(),
        "labels": labels,
        "predict": clusterer.predict(table[:9]),
        "loaded": loaded.predict(table),
        "pipeline": pipeline.transform(table),
        "loaded pipeline": again.transform(table),
        "named": named.predict(fields()),
        "names": named.feature_names_in_,
        "prepare": preparer.transform(table),
        "prepare fields": untie.Preparer().fit(fields()).transform(fields(), keep=["price"]),
        "decisions": preparer.decisions(),
        "outside": preparer.outside([["wine", "red", "dry", 1e6]]),
        "choose_k": untie.choose_k(encoder, texts).table(),
        "modes": modes.modes(),
        "modes predict": modes.predict(texts),
        "MCA": mca.value_vectors(),
        "Hamming": distance.value_distance("x0"),
        "compare": compare(texts, n_clusters=3, random_state=0).table(),
        "load": animals,
        "load classes": {"class": np.asarray(kinds).tolist()},
        "make_led24": datasets.make_led24(20)[0],
        "make_synthetic": datasets.make_synthetic(20)[0],
        "describe": datasets.describe(["zoo", "lymphography"]),
        "published": evaluation.published("kernels"),
        "clustering_scores": evaluation.clustering_scores(kinds, np.arange(101) % 7),
        "alike_values": explain.alike_values(encoder),
        "why_alike": explain.why_alike(encoder, "x0", "beer", "wine"),
        "assignments": explain.assignments(clusterer, table[:9]),
        "associations": explain.associations(encoder),
        "border_cases": explain.border_cases(encoder, texts, labels=labels),
        "prototypes": explain.prototypes(encoder, texts, labels=labels),
        "cluster_profile": explain.cluster_profile(clusterer, table),
        "cluster_names": explain.cluster_names(clusterer, table),
        "cluster_stability": explain.cluster_stability(clusterer, table),
        "verdict": verdict.stability,
        "drift columns": drift.columns,
        "drift frequencies": drift.frequencies,
        "drift couplings": drift.couplings,
        "families": explain.families(encoder),
        "missing_together": explain.missing_together(encoder),
        "neighbors": explain.neighbors(encoder, texts, texts[:2], n=3),
        "outliers": explain.outliers(pipeline, table, n=3),
        "why_outlier": explain.why_outlier(pipeline, table[0]),
        "why_similar": explain.why_similar(encoder, texts[0], texts[1]),
        "unknown_values": explain.unknown_values(encoder, [["tea", "red", "dry"]]),
        "weight_shares": explain.weight_shares(encoder),
    }


def as_lists(answer):
    """Return an answer as JSON has it: lists by the names of columns, or one list."""
    from untie._table.frames import columns_of

    if isinstance(answer, np.ndarray) and answer.dtype.names is None:
        return answer.tolist()
    plain = answer if isinstance(answer, dict) else columns_of(answer)
    return {str(name): cells for name, cells in plain.items()}


def library_of(answer):
    """Return the library that a table is of."""
    return type(answer).__module__.split(".")[0]


def described():
    """Return the library of every answer, and every answer, as JSON has them."""
    found = answers()
    kinds = {name: library_of(answer) for name, answer in found.items()}
    answered = {name: as_lists(answer) for name, answer in found.items()}
    return json.dumps([kinds, answered], default=lambda _: None)  # a missing cell of pandas


if __name__ == "__main__":
    sys.meta_path.insert(0, Absent(sys.argv[1:]))
    warnings.simplefilter("error")
    print(described())
