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
from untie import Preparer, TableClusterer, make_report
from untie._count.row_sample import in_canonical_order, sample_rows
from untie._engines.registry import open_table
from untie._learn.columns.explained_entropy import explained_entropies
from untie._learn.selection.objectives import CLUSTERS, OBJECTIVES
from untie._learn.spaces.value_tree import tree_spaces
from untie._table.column_codes import factorize

ONCE = {"tree_spaces", "sample_rows", "explained_entropies", "in_canonical_order", "open_table"}
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
            if function is not factorize:
                calls[function.__name__] += 1
            elif _has_cells(given[0]):
                calls[given[1]] += 1
            return function(*given, **named)

        return counted

    places = [vars(module) for name, module in sys.modules.items() if name.startswith("untie")]
    places += [vars(OBJECTIVES[CLUSTERS])]  # which holds a function
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
    with watched(
        tree_spaces, sample_rows, explained_entropies, in_canonical_order, open_table
    ) as calls:
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


def test_in_a_report_a_column_is_looked_at_twice(frame):
    with watched(factorize) as calls:
        make_report(frame)
    calls.pop("labels")  # which are no column
    assert set(calls) == set(frame.columns)
    assert max(calls.values()) <= 2
