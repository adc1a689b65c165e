"""The indicators of heterogeneity as a table: a line for each data set, means over seeds."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie_paper.data import SETS
from untie_paper.run.experiment import Results

METHODS = ("UNTIE", "CDE", "DILCA", "COS")
SHARE = " (share)"
"""Marks I_inter as a share of the couplings' size."""

READINGS = {"value": "mean over values", "column": "mean over attributes", "printed": "printed"}


def indicator_table(results: Results) -> Any:
    """Return a frame with a line for each data set and a column for each indicator.

    Where a method has several seeds, it is their mean.
    """
    import pandas as pd

    lines: dict[str, dict[str, float]] = {}
    for row in results.rows:
        if "printed" in row:
            line = lines.setdefault(row["dataset"], {})
            line |= {f"I_intra ({title})": row[key] for key, title in READINGS.items()}
    for (dataset, column), values in _inter_values(results).items():
        lines.setdefault(dataset, {})[column] = float(np.mean(values))
    order = [dataset for dataset in SETS if dataset in lines]
    columns = [f"I_intra ({title})" for title in READINGS.values()]
    columns += [f"I_inter {method}" for method in METHODS]
    columns += [f"I_inter {method}{SHARE}" for method in METHODS]
    frame = pd.DataFrame.from_dict(lines, orient="index").reindex(order)
    frame.index.name = "dataset"
    return frame[[column for column in columns if column in frame]]


def _inter_values(results: Results) -> dict[tuple[str, str], list[float]]:
    """Return I_inter of every seed, by the data set and the title of the column."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in results.rows:
        if "inter" in row:
            for end, value in (("", row["inter"]), (SHARE, row["inter_share"])):
                found.setdefault((row["dataset"], f"I_inter {row['method']}{end}"), []).append(
                    value
                )
    return found


def with_spread(table: Any, results: Results) -> Any:
    """Return the indicators with, beside CDE's, their standard deviation over seeds."""
    result = table.copy()
    values = _inter_values(results)
    for column in (f"I_inter CDE{end}" for end in ("", SHARE)):
        if column in table:
            spread = [np.std(values.get((name, column), [np.nan])) for name in table.index]
            result.insert(result.columns.get_loc(column) + 1, f"{column} sd", spread)
    return result
