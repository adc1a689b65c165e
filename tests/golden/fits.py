"""Fits that must not change: what they learn, as exact values and as a few numbers.

    python tests/golden/fits.py write        # after a change that is meant to change results
    python tests/golden/fits.py compare      # to the last bit; on the machine that wrote the file
    python tests/golden/fits.py keep FILE GROUP...   # all arrays, for `test_kernels.py`

`test_golden.py` compares labels, numbers of clusters, names and shapes, which are the same on every
CPU, and sums of squares within `TOLERANCE`. `test_kernels.py` compares the arrays themselves
between the instruction sets of one CPU. Only public names are used, so that the file outlives every
change of shape.
"""

import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from joblib import parallel_config

import untie
from untie import (
    UNTIE,
    Preparer,
    TableClusterer,
    TableEncoder,
    choose_k,
    count_table,
    explain,
)
from untie.cluster import KModes, LatentClasses
from untie.datasets import load

FILE = Path(__file__).with_name("fits.json")
TOLERANCE = {"rtol": 1e-7, "atol": 1e-9}
"""Sums of squares of all CPUs agree within this, after thousands of additions."""

SOLVERS = ("auto", "relevance", "discount", "uniform", "exact", "lp", "adam", "adagrad")
SETS = ("zoo", "lymphography", "hayesroth", "soybeanlarge", "housevotes")
COMMANDS = {
    "cluster": ["cluster", "people.csv", "--k", "3", "-q", "--format", "csv"],
    "values": ["values", "people.csv", "-q"],
    "outliers": ["outliers", "people.csv", "--all", "-q"],
    "neighbors": ["neighbors", "people.csv", "--row", "17", "-q"],
    "compare": ["compare", "people.csv", "--label", "kind", "--k", "3", "-q"],
}
BETWEEN = "\f"
"""Stands after what each command prints."""

ONE_BY_ONE = f"""
import json, runpy, sys
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["untie", *arguments]
    try:
        runpy.run_module("untie", run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
    print({BETWEEN!r}, end="", flush=True)
"""
"""Runs commands as `python -m untie` does, in one process, as imports take most of the time."""


def people(n_rows=300):
    """Return a mixed table: an id, numbers, a date, text with missing cells, weights."""
    rng = np.random.default_rng(5)
    kind = rng.integers(0, 3, n_rows)
    city = np.array(["Bonn", "Rome", "Oslo", "Lima"])[(kind + (rng.random(n_rows) < 0.3)) % 4]
    return pd.DataFrame(
        {
            "person": [f"p{number}" for number in range(n_rows)],
            "age": (20 + 15 * kind + rng.integers(0, 20, n_rows)).tolist(),
            "joined": [f"20{10 + k * 4 + i % 5}-0{1 + i % 9}-11" for i, k in enumerate(kind)],
            "city": [None if rng.random() < 0.05 else str(name) for name in city],
            "plan": np.array(["free", "pro", "team"])[
                np.where(rng.random(n_rows) < 0.8, kind, rng.integers(0, 3, n_rows))
            ].tolist(),
            "kind": [f"k{k}" for k in kind],
            "weight": (0.5 + rng.random(n_rows)).round(3).tolist(),
        }
    )


def many_values(n_rows=1500):
    """Return a table with a column of more than 500 values."""
    rng = np.random.default_rng(6)
    group = rng.integers(0, 3, n_rows)
    return pd.DataFrame(
        {
            "shop": [f"s{g * 250 + i % 250}" for g, i in zip(group, range(n_rows), strict=True)],
            "region": [f"r{g}" for g in group],
            "tone": rng.choice(["low", "mid", "high"], n_rows).tolist(),
        }
    )


def flat(n_ids, n_tones):
    """Return a table with an id that occurs twice, and so with hundreds of equally long axes."""
    rows = range(2 * n_ids)
    return pd.DataFrame(
        {
            "id": [f"k{i % n_ids}" for i in rows],
            "day": [str(i % 7) for i in rows],
            "tone": [str(i * i % n_tones) for i in rows],
        }
    )


def numbers(*arrays):
    """Return what is kept of a fit: its arrays."""
    return [array.toarray() if hasattr(array, "toarray") else np.asarray(array) for array in arrays]


def summary(arrays):
    """Return what is stored of a fit: a hash of all bits, exact values and sums of squares."""
    digest = hashlib.sha256()
    exact, sums = [], []
    for array in arrays:
        digest.update(repr(array.shape).encode())
        exact.append(list(array.shape))
        if array.dtype.kind != "f":
            exact.append(_short(array))
        if array.dtype.kind in "fiub":
            array = np.ascontiguousarray(array, dtype=float) + 0.0
            digest.update(array.tobytes())
            flat = np.nan_to_num(array.ravel())
            # Squares, so that the sign of an eigenvector does not count.
            sums += [float((flat**2).sum()), float(flat**2 @ np.cos(np.arange(len(flat))))]
        else:
            digest.update(json.dumps(array.tolist(), default=str).encode())
    return {"bits": digest.hexdigest(), "exact": exact, "sums": sums}


def _short(array):
    """Return exact values, or a hash if they are many; of a text, its length."""
    if array.dtype.kind == "U":
        return [len(text) for text in array.ravel().tolist()]
    values = [None if isinstance(cell, float) else cell for cell in array.ravel().tolist()]
    text = json.dumps(values, default=str)
    return values if len(text) <= 64 else hashlib.sha256(text.encode()).hexdigest()[:16]


def of_frame(frame):
    """Return what is kept of a frame."""
    cells = [frame[name].to_numpy() for name in frame.columns]
    return numbers(*cells)


def of_encoder(encoder, X):
    """Return what is kept of a fitted encoder."""
    choice = sorted(encoder.gains_.items())
    return numbers(
        encoder.omega_,
        encoder.similarity(X[:40]),
        encoder.value_vectors().iloc[:, 2:].to_numpy(float),
        np.array([name for name, _ in choice], dtype=object),
        np.array([gain for _, gain in choice], dtype=float),
        [encoder.n_clusters_],
    )


def sources(frame, folder):
    """Yield the table as every engine has it."""
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(arrow, folder / "t.parquet", row_group_size=50)
    frame.to_csv(folder / "t.csv", index=False)
    yield "pandas", frame
    yield "polars", pl.from_arrow(arrow)
    yield "pyarrow", arrow
    yield "parquet", untie.scan(folder / "t.parquet")
    yield "csv", untie.scan(folder / "t.csv")
    yield "query", untie.scan(sql=f"SELECT * FROM '{folder}/t.parquet'")
    yield "lazy frame", pl.from_arrow(arrow).lazy()
    yield "dataset", ds.dataset(folder / "t.parquet")
    import dask
    import dask.dataframe as dd

    with dask.config.set(scheduler="threads"):
        yield "dask", dd.from_pandas(frame, npartitions=3)


def encoder_of(n_clusters, **parameters):
    """Return a UNTIE if one of its parameters is given, otherwise a TableEncoder."""
    if parameters.keys() & {"solver", "couplings", "kernels", "normalization", "output"}:
        return UNTIE(n_clusters, max_iter=200, **parameters)
    return TableEncoder(n_clusters, preparer=None, **parameters)


def encoders():
    """Yield solvers over data sets, and the other parameters."""
    for name in SETS:
        X, y = load(name)
        for solver in SOLVERS:
            encoder = encoder_of(y.nunique(), **({} if solver == "auto" else {"solver": solver}))
            yield f"{name}, {solver}", of_encoder(encoder.fit(X), X)
    X, y = load("zoo")
    options = {
        "full": {"output": "full", "solver": "exact"},
        "components": {"n_components": 4},
        "sparse": {"sparse_output": True},
        "float32": {"dtype": np.float32},
        "joint": {"couplings": ("joint",), "kernels": "F2"},
        "cosine": {"normalization": "cosine", "solver": "exact"},
        "variance": {"normalization": "variance", "solver": "exact"},
        "rare": {"min_frequency": 20, "solver": "exact"},
        "most": {"max_categories": 3},
    }
    for name, chosen in options.items():
        encoder = encoder_of(7, **chosen)
        # Products of single precision would have the digits of a processor's instructions.
        rows = encoder.fit_transform(X).astype(np.float64)
        squares = np.asarray(
            (rows @ rows.T).todense() if hasattr(rows, "todense") else rows @ rows.T
        )
        yield f"zoo, {name}", numbers(squares, encoder.omega_)
    weights = np.random.default_rng(0).random(len(X))
    yield "zoo, weights", of_encoder(encoder_of(7).fit(X, sample_weight=weights), X)
    encoder = encoder_of(7).partial_fit(X[:50]).partial_fit(X[50:])
    yield "zoo, partial_fit", of_encoder(encoder, X)
    large = many_values()
    yield "many values", of_encoder(encoder_of(3).fit(large), large)
    yield "many values, exact", of_encoder(UNTIE(3, solver="exact").fit(large), large)
    counted = count_table(X[:40]) + count_table(X[40:])
    yield "zoo, counts", numbers(counted.counts.matrix, counted.sample.codes)


def decisions():
    """Yield fits in which ties and near-ties decide: a quick one for every such place."""
    large = many_values()
    for solver in ("relevance", "exact", "lp"):
        yield f"ties, {solver}", of_encoder(UNTIE(3, solver=solver).fit(large), large)
    for name, options in {
        "cosine": {"normalization": "cosine", "solver": "exact"},  # equally long axes
        "variance": {"normalization": "variance", "solver": "exact"},  # nearly constant kernels
        "full": {"output": "full", "solver": "uniform"},
        "components": {"n_components": 8},
    }.items():
        encoder = encoder_of(3, **options).fit(large)
        yield f"ties, {name}", numbers(encoder.transform(large[:60]))
    # A board with four symmetries, whose components have equal eigenvalues; weights of 0, whose
    # value vectors have no length in some directions.
    for name, options in {"tictactoe": {"n_components": 8}, "flare": {"solver": "lp"}}.items():
        X, _ = load(name)
        encoder = encoder_of(3, **options).fit(X[:500])
        yield f"ties, {name}", numbers(encoder.transform(X[:60]), encoder.omega_)
    for n_ids in (800, 12_500):  # a full solver, and a search
        rows = encoder_of(3, n_components=20).fit_transform(flat(n_ids, 5))
        yield f"ties, some of the equal axes of {n_ids} ids", numbers(rows[:60])
    tables = {"zoo": load("zoo")[0], "people": people(150), "ids": flat(700, 4)}
    for name, table in tables.items():
        preparer = None if name == "ids" else "auto"  # which would leave the id out
        clusterer = TableClusterer(preparer=preparer, random_state=0).fit(table)
        choice = clusterer.k_choice_
        yield (
            f"ties, clusters of {name}",
            numbers(clusterer.labels_, [choice.k, choice.found_clusters], choice.gain),
        )


def engines():
    """Yield engines and threads."""
    X, _ = load("zoo")
    with tempfile.TemporaryDirectory() as folder:
        for name, table in sources(X, Path(folder)):
            for n_jobs in (1, 2):
                with parallel_config(n_jobs=n_jobs):
                    encoder = encoder_of(7).fit(table)
                yield (
                    f"zoo from {name}, {n_jobs} threads",
                    numbers(encoder.omega_, encoder.counts_.matrix, [encoder.n_clusters_]),
                )


def clusterers():
    """Yield clusters with k given; what chooses k is free to change."""
    for name in SETS:
        X, y = load(name)
        clusterer = TableClusterer(y.nunique(), encoder=encoder_of(y.nunique())).fit(X)
        yield f"clusterer, {name}", numbers(clusterer.labels_, clusterer.transform(X))
        choice = choose_k(encoder_of(y.nunique()).fit(X), X)
        yield f"choose_k, {name}", of_frame(choice.table())
    for name in ("people", *SETS):
        X = people().drop(columns=["kind", "weight"]) if name == "people" else load(name)[0]
        clusterer, encoder = TableClusterer(3).fit(X), TableEncoder(3).fit(X)
        yield f"default, {name}", numbers(clusterer.labels_, encoder.omega_, encoder.transform(X))
    for name in ("crx", "hepatitis"):  # whose clusters are made of axes
        X, _ = load(name)
        clusterer = TableClusterer().fit(X)
        choice = clusterer.k_choice_
        yield f"chosen, {name}", numbers(clusterer.labels_, choice.gain, [choice.made_of])
    table = people().drop(columns=["kind", "weight"])
    clusterer = TableClusterer(3, preparer=Preparer(bins=4), random_state=0).fit(table)
    yield "clusterer, bins", numbers(clusterer.labels_, clusterer.transform(table))
    X, _ = load("zoo")
    labels = KModes(7, random_state=0).fit(X).labels_
    yield "k-modes", numbers(labels)


def methods():
    """Yield latent classes."""
    X, _ = load("zoo")
    latent = LatentClasses(3, random_state=0).fit(X)
    yield "baseline, LatentClasses", numbers(latent.predict_proba(X))


def questions():
    """Yield explanations and exports."""
    X, _ = load("zoo")
    encoder = TableEncoder(7).fit(X)
    labels = TableClusterer(7, encoder=TableEncoder(7), random_state=0).fit(X).labels_
    yield "explain, profile", of_frame(explain.cluster_profile(encoder, X, labels=labels))
    yield "explain, stability", of_frame(explain.cluster_stability(encoder, X, labels=labels))
    yield "explain, neighbors", of_frame(explain.neighbors(encoder, X, X[:3]))
    yield "explain, outliers", of_frame(explain.outliers(encoder, X))
    yield "explain, shares", of_frame(explain.weight_shares(encoder))
    yield "explain, prototypes", of_frame(explain.prototypes(encoder, X, labels=labels))
    raw = TableEncoder(7, preparer=None).fit(X)
    sql = raw.to_sql("duckdb", source="animals").query
    yield "sql", numbers([sql])


def commands():
    """Yield what the command prints."""
    with tempfile.TemporaryDirectory() as folder:
        people().to_csv(Path(folder) / "people.csv", index=False)
        run = subprocess.run(
            [sys.executable, "-c", ONE_BY_ONE, json.dumps(list(COMMANDS.values()))],
            cwd=folder,
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "100", "OMP_NUM_THREADS": "1"},
        )
        assert run.returncode == 0, run.stderr
        printed = run.stdout.split(BETWEEN)[:-1]
        for name, text in zip(COMMANDS, printed, strict=True):
            yield f"command, {name}", numbers([text])


GROUPS = (encoders, decisions, engines, clusterers, methods, questions, commands)


def all_fits(groups=GROUPS):
    """Return the arrays of every fit by its name."""
    return dict(fit for group in groups for fit in group())


def differences(found, expected, bits=False):
    """Return the names of fits that differ; both are summaries."""
    return [
        name
        for name, fit in expected.items()
        if name not in found
        or (fit["bits"] != found[name]["bits"] if bits else not _close(fit, found[name]))
    ]


def _close(fit, other):
    return (
        fit["exact"] == other["exact"]
        and len(fit["sums"]) == len(other["sums"])
        and np.allclose(fit["sums"], other["sums"], **TOLERANCE)
    )


def summaries(groups=GROUPS):
    """Return what is stored of every fit."""
    return {name: summary(arrays) for name, arrays in all_fits(groups).items()}


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        lines = [f"{json.dumps(name)}: {json.dumps(fit)}" for name, fit in summaries().items()]
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    elif sys.argv[1] == "keep":
        chosen = [group for group in GROUPS if group.__name__ in sys.argv[3:]]
        Path(sys.argv[2]).write_bytes(pickle.dumps(all_fits(chosen)))
    else:
        wanted = json.loads(FILE.read_text())
        wrong = differences(summaries(), wanted, bits=True)
        print(f"{len(wanted) - len(wrong)} of {len(wanted)} fits are the same to the last bit")
        print("\n".join(wrong))
        sys.exit(bool(wrong))
