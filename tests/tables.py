"""Random tables, and the encoders that are tried on them."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from untie import UNTIE, TableEncoder, count_table

OF_UNTIE = {"solver", "couplings", "kernels", "normalization", "output"}


@st.composite
def small_tables(draw, max_rows=12, max_columns=4, max_values=4, min_rows=1, min_columns=1):
    """Draw a small table of short words."""
    n_rows = draw(st.integers(min_rows, max_rows))
    n_columns = draw(st.integers(min_columns, max_columns))
    columns = {}
    for column in range(n_columns):
        n_values = draw(st.integers(1, max_values))
        codes = draw(st.lists(st.integers(0, n_values - 1), min_size=n_rows, max_size=n_rows))
        columns[f"c{column}"] = [f"v{code}" for code in codes]
    return pd.DataFrame(columns, dtype=object)


def latent_classes(n_rows, n_classes, n_columns, n_values, seed, purity=0.8, shares=None):
    """Return rows whose columns depend on each other through a hidden class, and the class."""
    rng = np.random.default_rng(seed)
    if shares is None:
        classes = rng.integers(0, n_classes, n_rows)
    else:
        classes = rng.choice(n_classes, n_rows, p=shares)
    typical = rng.integers(0, n_values, (n_classes, n_columns))
    codes = np.where(
        rng.random((n_rows, n_columns)) < purity,
        typical[classes],
        rng.integers(0, n_values, (n_rows, n_columns)),
    )
    names = [f"c{column}" for column in range(n_columns)]
    return pd.DataFrame(codes, columns=names).map("v{}".format).astype(object), classes


def nested_classes(seed, n_rows=1200):
    """Return rows of two classes that differ much, of which the first divides by few columns."""
    rng = np.random.default_rng(seed)
    outer, inner = rng.integers(0, 2, n_rows), rng.integers(0, 2, n_rows)
    columns = {}
    for column in range(16):
        rule, holds = (outer, rng.random(n_rows) < 0.8)
        if column >= 12:
            rule, holds = inner, (rng.random(n_rows) < 0.8) & (outer == 0)
        typical = rng.permutation(5)[:2]
        codes = np.where(holds, typical[rule], rng.integers(0, 5, n_rows))
        columns[f"c{column}"] = [f"v{code}" for code in codes]
    return pd.DataFrame(columns), outer, inner


def encoder_of(n_clusters=None, solver="auto", **parameters):
    """Return a UNTIE if one of its parameters is given, otherwise a TableEncoder."""
    if solver != "auto":
        parameters["solver"] = solver
    if parameters.keys() & OF_UNTIE:
        return UNTIE(n_clusters, **parameters)
    return TableEncoder(n_clusters, preparer=None, **parameters)


def fit_known(encoder, table, categories):
    """Fit an encoder on a table whose values are known beforehand."""
    return encoder.fit_counts(count_table(table, categories=categories))
