"""SQL in a real PostgreSQL gives what Python gives."""

import numpy as np
import pytest

import export_cases
from postgres import needs_postgres, running_server
from raw_cases import CASES, PARTS, as_arrow, check_clustered, check_prepared, fitted, rows_of

pytestmark = [pytest.mark.integration, needs_postgres]


@pytest.fixture(scope="module")
def server():
    with running_server() as found:
        yield found


@pytest.fixture
def ask(server):
    """Return a function that runs a transform over an Arrow table; it drops all tables."""

    def run(sql, table):
        server.create("src", table)
        try:
            script = str(sql).removesuffix(";\n") + " ORDER BY row_id;\n"
            return server.run(script)
        finally:
            server.run("".join(f"{s};\n" for s in (*sql.teardown, "DROP TABLE src")))

    return run


def numbers(rows):
    return np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])


@pytest.mark.parametrize("case", CASES)
def test_prepared_rows(case, ask):
    sql = fitted("preparer", case).to_sql("postgres", source="src", keep=["row_id"])
    (_, *names), *rows = ask(sql, as_arrow(rows_of(case)))
    columns = dict(zip(names, zip(*(row[1:] for row in rows), strict=True), strict=True))
    check_prepared(case, {name: typed(case, name, cells) for name, cells in columns.items()})


def typed(case, name, cells):
    """Return the numbers of a column that psql has written."""
    if case != "numbers" or name != "few":
        return cells
    return [None if cell is None else float(cell) for cell in cells]


@pytest.mark.parametrize("case", CASES)
def test_clusters(case, ask):
    clusterer = fitted("clusterer", case)
    names = [f"v{n}" for n in range(width_of(clusterer))]
    arguments = {"source": "src", "keep": ["row_id"], "result": PARTS, "names": names}
    found = ask(clusterer.to_sql("postgres", **arguments), as_arrow(rows_of(case)))
    check_clustered(case, numbers(found))


def width_of(clusterer):
    return 2 + clusterer.n_clusters_ + len(clusterer.encoder_.get_feature_names_out())


@pytest.mark.parametrize("kind", ["preparer", "clusterer"])
def test_all_columns_are_kept(kind, ask):
    model, rows = fitted(kind, "texts"), as_arrow(rows_of("texts"))
    n_columns = len(model.columns_) if kind == "preparer" else 1
    names = [f"made {number}" for number in range(n_columns)]
    header, *found = ask(model.to_sql("postgres", source="src", keep="*", names=names), rows)
    assert header == [*rows.column_names, *names]
    cells = [tuple(row[: len(rows.column_names) - 1]) for row in found]
    assert cells == list(zip(*(column.to_pylist() for column in rows.columns[:-1]), strict=True))


@pytest.mark.parametrize("table", ["weird values", "weird names", "missing"])
def test_vectors_of_any_text(table, ask):
    columns = export_cases.TEXT[table]
    encoder = export_cases.fit(columns)
    names = [f"v{number}" for number in range(len(encoder.get_feature_names_out()))]
    sql = encoder.to_sql("postgres", source="src", keep=["row_id"], names=names)
    found = numbers(ask(sql, as_arrow(export_cases.frame(columns))))
    expected = encoder.transform(export_cases.frame(columns))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
