"""Clustering ranks by how inconsistent the couplings of a data set are.

As in the paper, the data sets are cut into five levels of equal size by I_intra and by I_inter, and
a method's ranks among the ten printed columns are averaged within each level: with the printed
F-scores, and with those measured here. The paper does not say whose I_inter makes the levels; it is
UNTIE's here. I_intra is the mean over values. What other readings would give is in a table of its
own. UNTIE (default) is ranked in UNTIE's place, and where it is compared with the others, these
are ranked against it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from untie_paper import clustering, couplings_density
from untie_paper.clustering_scores import by_set_and_method, printed_scores
from untie_paper.couplings_indicators import indicator_table
from untie_paper.methods import DEFAULT, PAPER
from untie_paper.off_protocol import including
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import common_legend, label_left, method_style, name_panel, panels
from untie_paper.output.words import listing, many
from untie_paper.ranks import complete
from untie_paper.run.experiment import Effort, Experiment, Job, Results

N_LEVELS = 5
INDICATORS = {"I_intra": "I_intra (mean over values)", "I_inter": "I_inter UNTIE"}
FIGURES = {"I_intra": "intra_heterogeneity", "I_inter": "inter_heterogeneity"}
WORDS = {"I_intra": "intra-coupling heterogeneity", "I_inter": "inter-coupling heterogeneity"}
PRINTED, MEASURED = "printed scores", "measured scores"
REPLACED = "measured scores, the default in UNTIE's place"
DRAWN = (PAPER, DEFAULT, "Couplings", "CDE", "COS", "Ahmad", "DILCA")
"""The methods that learn couplings; the data has all."""


def jobs(effort: Effort) -> list[Job]:
    """Return the cells of the clustering table and those of the indicators."""
    return [*clustering.jobs(effort), *couplings_density.jobs(effort)]


def levels(indicator: Any) -> Any:
    """Return a level from 1 to 5 for each data set: as many sets in each, smallest values first.

    Examples
    --------
    >>> import pandas as pd
    >>> levels(pd.Series({"a": 0.9, "b": 0.1, "c": 0.3, "d": 0.2, "e": 0.5})).to_dict()
    {'b': 1, 'd': 2, 'c': 3, 'e': 4, 'a': 5}
    """
    import pandas as pd

    ordered = indicator.dropna().sort_values(kind="stable")
    positions = np.arange(len(ordered))
    return pd.Series(1 + positions * N_LEVELS // max(len(ordered), 1), ordered.index)


def ranks_of_sets(scores: Any, ten: list[str]) -> Any:
    """Return each method's rank on each data set, among the ten; 1 is best.

    Data sets on which any method has no score, our default too, are left out.

    Parameters
    ----------
    scores : frame
        F-scores, a row for each data set and a column for each method.
    ten : list of str
        The columns to rank.
    """
    kept = complete(scores[[name for name in scores if name in {*ten, PAPER, DEFAULT}]])
    return kept[[name for name in ten if name in kept]].rank(axis=1, ascending=False)


def ranks_by_level(results: Results) -> Any:
    """Return the mean ranks: indicator, scores (printed or measured), level, method, rank, sets."""
    import pandas as pd

    columns = ["indicator", "scores", "level", "method", "rank", "n_sets"]
    indicators, paper = indicator_table(results), printed_scores()
    ranked = {PRINTED: ranks_of_sets(paper, list(paper))}
    cells = [row for row in results.rows if "f_score" in row]
    if cells:
        found = by_set_and_method(pd.DataFrame(cells))
        ranked[MEASURED] = ranks_of_sets(found, list(paper))
        if DEFAULT in found:
            others = [name for name in paper if name != PAPER]
            ranked[REPLACED] = ranks_of_sets(found, [DEFAULT, *others])
    lines = []
    for indicator, column in INDICATORS.items():
        for scores, ranks in ranked.items():
            if column not in indicators:
                continue
            of_set = levels(indicators[column].loc[indicators.index.intersection(ranks.index)])
            groups = ranks.loc[of_set.index].groupby(of_set)
            for level, part in groups:
                for method, rank in part.mean().items():
                    lines.append((indicator, scores, level, method, rank, len(part)))
    return pd.DataFrame(lines, columns=columns)


def off_by_level(results: Results) -> dict[tuple[str, int], str]:
    """Return what UNTIE's measured rank at a level includes off the protocol, where it does.

    Returns
    -------
    dict from (indicator, level) to str
        Footnotes.
    """
    import pandas as pd

    cells = [row for row in results.rows if "f_score" in row]
    if not cells:
        return {}
    indicators = indicator_table(results)
    ranks = ranks_of_sets(by_set_and_method(pd.DataFrame(cells)), list(printed_scores()))
    if PAPER not in ranks:
        return {}
    found = {}
    for indicator, column in INDICATORS.items():
        if column in indicators:
            of_set = levels(indicators[column].loc[indicators.index.intersection(ranks.index)])
            for level, part in of_set.groupby(of_set):
                found[indicator, int(level)] = including(part.index)
    return {place: text for place, text in found.items() if text}


def draw(data: Any) -> Any:
    """Draw the mean ranks by level, with the printed and with the measured scores."""
    kinds = [kind for kind in (PRINTED, MEASURED) if kind in set(data["scores"])]
    figure, axes = panels(len(kinds), height=3.4)
    for one, kind in zip(axes, kinds, strict=True):
        for method in DRAWN:
            place = REPLACED if method == DEFAULT and kind == MEASURED else kind
            part = data[(data["scores"] == place) & (data["method"] == method)]
            if len(part):
                one.plot(part["level"], part["rank"], **method_style(method))
        one.set(xlabel=f"level of {WORDS[data['indicator'].iloc[0]]}", xticks=range(1, 6))
        # The best rank is at the top.
        one.set(ylim=(10.2, 0.8), yticks=[1, 2, 4, 6, 8, 10])
        name_panel(one, kind)
    label_left(axes, "mean rank among ten methods")
    common_legend(figure, axes, columns=4)
    return figure


def level_table(data: Any, indicator: str, scores: str) -> Any:
    """Return one line for each method and one column for each level; None where there is none."""
    part = data[(data["indicator"] == indicator) & (data["scores"] == scores)]
    if part.empty:
        return None
    table = part.pivot_table(index="method", columns="level", values="rank", sort=False)
    table.columns = [f"level {level}" for level in sorted(part["level"].unique())]
    return table


def findings(data: Any) -> list[str]:
    """Say at which levels UNTIE is ahead."""
    claims = {
        "I_intra": "the paper: UNTIE is ahead at levels 2 to 5 and not at 1",
        "I_inter": "the paper: UNTIE is ahead, of Couplings at levels 4 and 5 above all",
    }
    found = []
    for indicator, claim in claims.items():
        for scores, method in ((PRINTED, PAPER), (MEASURED, PAPER), (REPLACED, DEFAULT)):
            table = level_table(data, indicator, scores)
            if table is not None and method in table.index:
                found.append(_finding(table, method, f"By {indicator}, {scores}", claim))
    return found


def _finding(table: Any, method: str, where: str, claim: str) -> str:
    text = f"{where}: {method} has the best mean rank at {_in_words(levels_ahead(table, method))}"
    if "Couplings" in table.index:
        ahead = table.columns[table.loc[method] < table.loc["Couplings"]]
        text += f" and is ahead of Couplings at {_in_words(_numbers(ahead))}"
    return f"{text} ({claim})."


def levels_ahead(table: Any, method: str) -> list[str]:
    """Return the numbers of the levels at which a method has a better mean rank than all others."""
    rivals = table.drop(index=method)
    return _numbers(table.columns[table.loc[method] < rivals.min()])


def readings_table(results: Results) -> Any:
    """Return, for every indicator that could make the levels, where UNTIE is ahead as printed."""
    import pandas as pd

    indicators, paper = indicator_table(results), printed_scores()
    ranks = ranks_of_sets(paper, list(paper))
    lines = {}
    for name, column in indicators.items():
        of_set = levels(column)
        by_level = ranks.loc[of_set.index].groupby(of_set).mean().T
        by_level.columns = [f"level {level}" for level in by_level.columns]
        lines[name] = {
            **by_level.loc[PAPER].to_dict(),
            "UNTIE best at levels": ", ".join(levels_ahead(by_level, PAPER)) or "none",
        }
    table = pd.DataFrame.from_dict(lines, orient="index")
    table.index.name = "indicator"
    return table


def _numbers(names: Any) -> list[str]:
    return [name.removeprefix("level ") for name in names]


def _in_words(numbers: list[str]) -> str:
    if not numbers:
        return "no level"
    return f"{'level' if len(numbers) == 1 else 'levels'} {listing(numbers)}"


def report(results: Results) -> PaperReport:
    """Return ranks by level for both indicators, as tables and figures."""
    data, off = ranks_by_level(results), off_by_level(results)
    figures, tables = [], []
    for number, (indicator, name) in enumerate(FIGURES.items(), 4):
        part = data[data["indicator"] == indicator]
        if part.empty:
            continue
        figures.append(
            Figure(
                name,
                f"Clustering ranks by level of {WORDS[indicator]} (the paper's Figure {number})",
                part.reset_index(drop=True),
                draw,
                "Mean rank of each coupling method at five levels of inconsistency, from the "
                "printed and from the measured scores.",
            )
        )
        tables.append(_table(part, indicator, name, off))
    readings = readings_table(results)
    if len(readings):
        title = "Mean rank of UNTIE by level, with the printed scores, by what makes the levels"
        note = "All indicators of the experiment couplings_density; 1 is best of ten."
        tables.append(PaperTable("inconsistency_readings", title, readings, note=note))
    return PaperReport(findings(data), tables, figures)


def _table(part: Any, indicator: str, name: str, off: dict[tuple[str, int], str]) -> PaperTable:
    import pandas as pd

    kinds = (PRINTED, MEASURED, REPLACED)
    ranks = {kind: level_table(part, indicator, kind) for kind in kinds}
    found = {kind: table for kind, table in ranks.items() if table is not None}
    if REPLACED in found:  # those of the others stand under the measured scores
        found[REPLACED] = found[REPLACED].loc[[DEFAULT]]
    sizes = part[part["scores"] != REPLACED].groupby("scores", sort=False)["n_sets"]
    sets = "; ".join(f"{_range(n.min(), n.max())} a level ({kind})" for kind, n in sizes)
    return PaperTable(
        f"{name}_ranks",
        f"Mean clustering rank by level of {indicator}",
        pd.concat(found, names=["scores", "method"]),
        note=f"Ranks among the ten printed methods; 1 is best. {sets}. The paper draws these ranks "
        "and prints none, so no difference is marked.",
        footnotes={
            ((MEASURED, PAPER), f"level {level}"): text
            for (of, level), text in off.items()
            if of == indicator
        },
    )


def _range(least: int, most: int) -> str:
    return many(most, "data set") if least == most else f"{least} to {most} data sets"


EXPERIMENT = Experiment(
    "inconsistency",
    "Clustering rank by inconsistency of couplings (the paper's Figures 4 and 5)",
    jobs,
    report,
    "figures",
)
