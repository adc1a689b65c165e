"""From a messy file to the same clusters in Python, PostgreSQL and onnxruntime."""

import csv
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
import pyarrow as pa
import pytest

from postgres import needs_postgres, running_server
from untie import TableClusterer, load_model

NEW = [
    ["901", "€1.250,00", "34", "Zürich", "n/a", "it's new"],
    ["902", "n/a", "", "Nowhere", "silver", "?"],
    ["903", "€ 99,5", "999", "Bern", "GOLD", ""],
    ["904", "about 7", "-3", "Zürich ", "gold", "no"],
]


def messy_file(folder):
    """Write a table as people keep them: units, decimal commas, words for missing cells."""
    rng = np.random.default_rng(5)
    rows = []
    for number in range(160):
        rich = rng.random() < 0.5
        price = rng.integers(800, 4000) if rich else rng.integers(5, 700)
        text = f"€{price:,}".replace(",", ".") + f",{rng.integers(10, 100)}"
        rows.append(
            [
                str(number),
                "n/a" if rng.random() < 0.1 else text,
                "" if rng.random() < 0.1 else str(rng.integers(40, 80) - 25 * (not rich)),
                rng.choice(["Zürich", "Genève", "Bern"] if rich else ["Bern", "Chur", "Brig"]),
                rng.choice(["gold", "silver", "n/a"] if rich else ["silver", "none", "basic"]),
                rng.choice(
                    ["yes", "no", "it's new"], p=[0.6, 0.3, 0.1] if rich else [0.2, 0.7, 0.1]
                ),
            ]
        )
    path = Path(folder) / "customers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["customer_id", "spent", "age", "town", "plan", "mail"], *rows])
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    TableClusterer(2).fit(pd.read_csv(messy_file(folder))).save(folder / "model.untie")
    return load_model(folder / "model.untie")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Return the file and some unseen rows, every cell as text."""
    path = messy_file(tmp_path_factory.mktemp("rows"))
    seen = pd.read_csv(path, dtype=str, keep_default_na=False)
    new = pd.DataFrame(NEW, columns=seen.columns)
    every = pd.concat([seen, new], ignore_index=True).astype(object)
    return every.where(every != "", None)


@pytest.mark.integration
@needs_postgres
def test_the_same_clusters_in_postgres(model, rows):
    table = pa.table({name: pa.array(rows[name].tolist(), pa.string()) for name in rows})
    sql = model.to_sql(
        "postgres", source="customers", keep=["customer_id"], result=["cluster", "probability"]
    )
    with running_server() as server:
        server.create("customers", table)
        _, *found = server.run(str(sql))
    assert len(found) == len(rows)
    clusters = {number: int(cluster) for number, cluster, _ in found}
    assert [clusters[number] for number in rows["customer_id"]] == model.predict(rows).tolist()
    shares = {number: float(share) for number, _, share in found}
    expected = model.predict_proba(rows).max(axis=1)
    np.testing.assert_allclose([shares[n] for n in rows["customer_id"]], expected, atol=1e-10)


def test_the_same_clusters_in_onnxruntime(model, rows):
    text = model.to_onnx(as_text=["age"]).SerializeToString()
    runtime = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
    assert {entry.type for entry in runtime.get_inputs()} == {"tensor(string)"}
    fed = {entry.name: rows[entry.name].to_numpy(object) for entry in runtime.get_inputs()}
    labels, shares = runtime.run(None, fed)
    assert labels.tolist() == model.predict(rows).tolist()
    np.testing.assert_allclose(shares, model.predict_proba(rows), atol=1e-10)
