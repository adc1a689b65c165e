"""What does not depend on the number of clusters is made once, and cells are looked at twice."""

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from functools import wraps

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest

import untie
from command_cases import ask
from untie import Preparer, TableClusterer, TableEncoder, make_report
from untie._count.row_sample import in_canonical_order, sample_rows
from untie._engines.registry import open_table
from untie._engines.scanning import sniff
from untie._engines.source import Source
from untie._learn.columns.explained_entropy import explained_entropies
from untie._learn.spaces.value_tree import tree_spaces
from untie._table.column_codes import factorize

STAGES = (tree_spaces, sample_rows, explained_entropies, in_canonical_order, open_table)
ONCE = {stage.__name__ for stage in STAGES}
N_ROWS = 240


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, N_ROWS)
    text = {
        name: np.array(["a", "b", "c"])[np.where(rng.random(N_ROWS) < 0.8, kind, drawn)]
        for name, drawn in zip("xyz", rng.integers(0, 3, (3, N_ROWS)), strict=True)
    }
    numbers = {"age": 20 * kind + rng.integers(0, 25, N_ROWS), "rooms": kind + 1}
    return pd.DataFrame(text | numbers | {"id": [f"p{row}" for row in range(N_ROWS)]})


@contextmanager
def watched(*functions: Callable) -> Counter:
    """Count calls, by name and for `factorize` by column, wherever the functions are looked up."""
    calls: Counter = Counter()

    def counting(function):
        @wraps(function)
        def counted(*given, **named):
            is_open = function is open_table and isinstance(given[0], Source)
            if function is not factorize:
                calls[function.__name__] += not is_open  # which is returned as it is
            elif _has_cells(given[0]):
                calls[given[1]] += 1
            return function(*given, **named)

        return counted

    places = [vars(module) for name, module in sys.modules.items() if name.startswith("untie")]
    undo = []
    for function in functions:
        replacement = counting(function)
        for place in places:
            for name in [name for name, value in place.items() if value is function]:
                undo.append((place, name, function))
                place[name] = replacement
    try:
        yield calls
    finally:
        for place, name, function in undo:
            place[name] = function


def _has_cells(column) -> bool:
    """Tell whether a whole column is cells and no codes: of codes, nothing has to be found."""
    is_coded = isinstance(column, nw.Series) and column.dtype in (nw.Categorical, nw.Enum)
    return len(column) == N_ROWS and not is_coded


@pytest.mark.parametrize("preparer", ["auto", None, Preparer(drop=["age"])])
def test_in_a_fit_what_is_the_same_for_every_number_is_made_once(frame, preparer):
    clusterer = TableClusterer(preparer=preparer)
    table = frame if preparer is not None else frame[["x", "y", "z"]]
    with watched(*STAGES) as calls:
        clusterer.fit(table)
    assert clusterer.k_choice_ is not None  # the number was chosen
    assert calls == dict.fromkeys(ONCE, 1)


def test_the_number_that_is_chosen_gives_what_naming_it_gives(frame):
    chosen = TableClusterer().fit(frame)
    named = TableClusterer(chosen.n_clusters_).fit(frame)
    np.testing.assert_array_equal(chosen.labels_, named.labels_)
    np.testing.assert_array_equal(chosen.cluster_centers_, named.cluster_centers_)
    assert chosen.encoder_.gains_ == named.encoder_.gains_


def test_a_lazy_table_is_sampled_as_it_is_counted(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    with watched(in_canonical_order) as calls:
        lazy = TableClusterer().fit(untie.scan(path))
    assert calls["in_canonical_order"] == 1
    whole = TableClusterer().fit(pd.read_csv(path))
    np.testing.assert_allclose(lazy.cluster_centers_, whole.cluster_centers_)


def test_supplementary_columns_are_left_out_of_a_sample_that_is_taken_once(frame):
    encoder = TableEncoder(column_weights={"x": 0})
    with watched(*STAGES) as calls:
        TableClusterer(encoder=encoder).fit(frame)
    # The sample of the table is kept for `partial_fit`; that of the others is made of it.
    assert calls == dict.fromkeys(ONCE, 1) | {"sample_rows": 2}


@pytest.mark.parametrize("is_lazy", [False, True])
@pytest.mark.parametrize("n_rows", [N_ROWS, 10 * N_ROWS])
def test_with_supplementary_columns_clusters_are_those_of_the_other_columns(
    frame, tmp_path, is_lazy, n_rows
):
    table = pd.concat([frame] * (n_rows // N_ROWS), ignore_index=True)
    table["id"] = [f"p{row}" for row in range(n_rows)]  # more distinct rows than a sample holds
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    given = {"preparer": Preparer(columns=[*"xyz", "id"])}
    encoder = TableEncoder(column_weights={"id": 0})
    rows = untie.scan(path) if is_lazy else table
    found = TableClusterer(3, encoder=encoder, **given).fit(rows)
    alone = TableClusterer(3, preparer=None).fit(table[["x", "y", "z"]])
    np.testing.assert_array_equal(found.predict(table), alone.labels_)
    np.testing.assert_array_equal(found.encoder_._model.attributes.votes[:3], alone_votes(alone))


def alone_votes(clusterer):
    return clusterer.encoder_._model.attributes.votes


def test_a_lazy_table_is_opened_counted_and_sampled_once(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    for encoder in (None, TableEncoder(column_weights={"x": 0})):
        with watched(*STAGES, sniff) as calls:
            TableClusterer(encoder=encoder).fit(untie.scan(path))
        n_samples = 1 if encoder is None else 2
        # `scan` gives a table that is open.
        assert calls == dict.fromkeys(ONCE, 1) | {
            "sniff": 1,
            "sample_rows": n_samples,
            "open_table": 0,
        }


def test_in_a_report_a_column_is_looked_at_twice(frame):
    with watched(factorize) as calls:
        make_report(frame)
    calls.pop("labels")  # which are no column
    assert set(calls) == set(frame.columns)
    assert max(calls.values()) <= 2


N_RESAMPLES = 3
"""How often the report draws rows anew, to see how stable the clusters of a method are."""


def test_in_a_report_on_a_file_it_is_looked_at_once_and_its_columns_twice(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    with watched(*STAGES, sniff, factorize) as calls:
        answer = ask("report", path, "--output", tmp_path / "report.html")
    assert answer.exit_code == 0, answer.output
    assert calls["sniff"] == 1
    assert max(calls[name] for name in frame.columns) <= 2
    # Once for the clusters, and once for the weights of couplings, as models keep no spaces.
    assert calls["tree_spaces"] == 2
    # Once for the clusters, and once for the rows that methods are compared on.
    assert calls["explained_entropies"] == 2
    # For the clusters, which are compared as they are, and for those of rows that are drawn anew.
    assert calls["sample_rows"] == 1 + N_RESAMPLES
    # And for rows that are drawn, to see how the clusters come back and which columns carry them.
    assert calls["in_canonical_order"] == calls["sample_rows"] + 2


def test_in_clusters_of_a_file_it_is_looked_at_once_and_its_columns_twice(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    with watched(*STAGES, sniff, factorize) as calls:
        answer = ask("cluster", path)
    assert answer.exit_code == 0, answer.output
    # Also of rows that are drawn, for the stability and for the columns that carry the clusters.
    assert calls.pop("in_canonical_order") == 3
    once = {stage: calls[stage] for stage in (ONCE | {"sniff"}) - {"open_table"} if stage in calls}
    assert once == dict.fromkeys(once, 1)
    assert max(calls[name] for name in frame.columns) <= 2
