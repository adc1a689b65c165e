"""What each reading of the printed protocol agrees with."""

from __future__ import annotations

from typing import Any

from untie_paper.clustering_scores import CLOSE, NEAR, printed_scores
from untie_paper.data import SETS
from untie_paper.methods import PAPER
from untie_paper.off_protocol import LEFT_OUT, sets_off
from untie_paper.output.report import Figure, Report, Table
from untie_paper.output.style import INK, METHOD_COLOURS, common_legend, name_panel, panels
from untie_paper.output.words import listing, many
from untie_paper.ranks import mean_ranks
from untie_paper.run.experiment import Results

NOT_UNTIE = ("One-hot", "Couplings")
"""Encodings without kernels and weights: what agreement is worth that they reach as well."""

DIGIT = 0.00501
"""Points within which two scores agree in both decimals."""

ANSWERS: dict[str, dict[Any, str]] = {
    "kernels": {"Gaussian": "Gaussian kernels"},
    "scale": {"cosine": "cosine", "none": "no scale"},
    "n_steps": {500: "500 steps", 3000: "3,000 steps"},
    "batch_size": {7: "batch of 7 (21 pairs)", 40: "batch of 40 (20 pairs)"},
    "replacement": {False: "every row once in a pass"},
    "solver": {"adagrad": "AdaGrad", "uniform": "equal weights"},
}
"""How answers are called that differ from those of `UNTIE.from_paper`."""

AS_PRINTED = "as from_paper"
COUPLINGS = ("separate", "joint")


def name_reading(row: Any) -> tuple[str, str]:
    """Return the couplings of a cell's reading, and in what else it differs from `from_paper`.

    Examples
    --------
    >>> name_reading({"couplings": "joint", "n_steps": 500, "scale": "diagonal"})
    ('joint', '500 steps')
    """
    said = [names[row[field]] for field, names in ANSWERS.items() if row.get(field) in names]
    return row["couplings"], ", ".join(said) or AS_PRINTED


def _place(row: Any) -> tuple[Any, ...]:
    """Return what cells are sorted by: the paper's data sets, then answers in their order."""
    answers = [
        1 + list(names).index(row[field]) if row.get(field) in names else 0
        for field, names in ANSWERS.items()
    ]
    # The last answers first, so that those of one kind stand together.
    return SETS.index(row["dataset"]), COUPLINGS.index(row["couplings"]), answers[::-1]


def report(results: Results) -> Report:
    """Return the readings, every score, and what they say."""
    import pandas as pd

    cells = sorted((row for row in results.rows if "couplings" in row), key=_place)
    if not cells:
        return Report(("No cell came out.",))
    names = pd.DataFrame([name_reading(row) for row in cells], columns=["couplings", "reading"])
    frame = pd.concat([pd.DataFrame(cells).drop(columns="couplings"), names], axis=1)
    frame = frame.assign(method=[", ".join(pair) for pair in names.to_numpy()])
    printed = printed_scores()
    scores = frame.groupby(["dataset", "method"], sort=False)["f_score"].mean().unstack()
    scores = scores.rename_axis(index="data set", columns=None)[
        list(dict.fromkeys(frame["method"]))
    ]
    plain = _plain_frame(results)
    table = readings_table(frame, scores, printed)
    tables = [
        Table(
            "readings", "What each reading agrees with", table, note=_note(frame, printed, results)
        ),
        *_score_tables(scores, printed),
        Table("readings_sets", "Which readings meet which set", sets_table(frame, printed, plain)),
    ]
    return Report(findings(frame, table, printed, plain), tables, [_figure(frame, printed)])


def _plain_frame(results: Results) -> Any:
    """Return the cells of the encodings that are not UNTIE."""
    import pandas as pd

    cells = [row for row in results.rows if row.get("method") in NOT_UNTIE]
    return pd.DataFrame(cells, columns=["dataset", "method", "seed", "f_score"])


def meets(frame: Any, printed: Any) -> Any:
    """Tell of each cell whether its score is the printed one in both decimals."""
    return (frame["f_score"] - frame["dataset"].map(printed)).abs() < DIGIT


def readings_table(frame: Any, scores: Any, printed: Any) -> Any:
    """Return a line for each reading: its mean, its rank, and how often it meets a printed score.

    Parameters
    ----------
    frame : pandas DataFrame
        The cells: `dataset`, `method` (the reading's name), `couplings`, `reading`, `seed`,
        `f_score`, `learned`.
    scores : pandas DataFrame
        Mean over seeds, a row for each set and a column for each `method`.
    printed : pandas DataFrame
        The printed scores of all methods.
    """
    import pandas as pd

    others = printed.loc[scores.index].drop(columns=PAPER)
    followed = scores.drop(index=sets_off(scores.index))
    lines = {}
    for (couplings, reading, method), part in frame.groupby(
        ["couplings", "reading", "method"], sort=False
    ):
        gaps = (scores[method] - printed.loc[scores.index, PAPER]).abs()
        met = meets(part, printed[PAPER]).groupby(part["dataset"]).agg(["any", "all", "sum"])
        lines[couplings, reading] = {
            "mean F": scores[method].mean(),
            f"mean F, {LEFT_OUT}": followed[method].mean(),
            "mean F, best seed": part.groupby("dataset")["f_score"].max().mean(),
            "mean difference": gaps.mean(),
            "rank in UNTIE's place": mean_ranks(others.assign(**{PAPER: scores[method]}))[PAPER],
            f"sets within {CLOSE:g}": int((gaps <= CLOSE).sum()),
            f"sets within {NEAR:g}": int((gaps <= NEAR).sum()),
            "sets met by a seed": int(met["any"].sum()),
            "sets met by all": int(met["all"].sum()),
            "seeds that meet": int(met["sum"].sum()),
            "sets learned": int(part.groupby("dataset")["learned"].all().sum()),
        }
    table = pd.DataFrame.from_dict(lines, orient="index")
    table.index = pd.MultiIndex.from_tuples(table.index, names=["couplings", "reading"])
    return table


def _score_tables(scores: Any, printed: Any) -> list[Table]:
    """Return every score, a table for each kind of couplings."""
    tables = []
    for couplings in dict.fromkeys(name.partition(", ")[0] for name in scores):
        part = scores[[name for name in scores if name.startswith(f"{couplings}, ")]]
        part = part.rename(columns=lambda name: name.partition(", ")[2])
        part.insert(0, "printed", printed.loc[part.index, PAPER])
        title = f"F-scores of the readings with {couplings} couplings"
        note = "Mean over seeds, times 100."
        tables.append(Table(f"readings_{couplings}", title, part, note=note))
    return tables


def sets_table(frame: Any, printed: Any, plain: Any) -> Any:
    """Return a line for each set: the readings that meet its printed score, and the nearest."""
    import pandas as pd

    lines = {}
    for dataset, part in frame.groupby("dataset", sort=False):
        score = printed.loc[dataset, PAPER]
        met = part[meets(part, printed[PAPER])]
        seeds = met.groupby("method", sort=False)["seed"].nunique()
        means = part.groupby("method", sort=False)["f_score"].mean()
        nearest = (means - score).abs().idxmin()
        not_untie = plain[(plain["dataset"] == dataset) & meets(plain, printed[PAPER])]
        lines[dataset] = {
            "printed": score,
            "lowest": part["f_score"].min(),
            "highest": part["f_score"].max(),
            "nearest mean": means[nearest],
            "of the reading": nearest,
            "readings that meet it": len(seeds),
            "first of them (seeds)": "; ".join(f"{name} ({n})" for name, n in seeds[:3].items()),
            "met without UNTIE": ", ".join(dict.fromkeys(not_untie["method"])),
        }
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis("data set")


def _note(frame: Any, printed: Any, results: Results) -> str:
    sets = list(dict.fromkeys(frame["dataset"]))
    off = sets_off(sets)
    rank = mean_ranks(printed.loc[sets])[PAPER]
    means = printed.loc[sets, PAPER].mean(), printed.loc[sets, PAPER].drop(index=off).mean()
    return (
        f"{many(len(sets), 'data set')}, {many(frame['seed'].nunique(), 'seed')} of batches and "
        f"starts; of {results.effort.n_restarts} starts of k-means the one of lowest inertia "
        f"counts. Printed: mean F {means[0]:.2f}, without the sets off the protocol of from_paper "
        f"({', '.join(off) or 'none'}) {means[1]:.2f}, rank {rank:.2f}. Best seed: chosen by its "
        "score, which no protocol could; a bound. Difference: of the mean over seeds to the "
        "printed score, without regard to sign. Rank: among the printed scores of the nine other "
        "methods. Met: the printed score in both decimals. Learned: sets with fewer classes than "
        "a batch has rows; on the others omega stays 1. Where S is constant (threeof9) all rows "
        "are one cluster. Gaussian kernels have a diagonal of 1, so with them cosine is also no "
        "scale."
    )


def findings(frame: Any, table: Any, printed: Any, plain: Any) -> list[str]:
    """Say how far readings differ, what they meet, and what that is worth."""
    sets = list(dict.fromkeys(frame["dataset"]))
    means, score = table["mean F"], printed.loc[sets, PAPER].mean()
    best, worst = means.idxmax(), means.idxmin()
    said = [
        f"{many(len(table), 'reading')} on {many(len(sets), 'data set')}: mean F from "
        f"{means[worst]:.1f} ({', '.join(worst)}) to {means[best]:.1f} ({', '.join(best)}); "
        f"printed {score:.1f}, which {(means >= score).sum()} of them reach; with the best of "
        f"{many(frame['seed'].nunique(), 'seed')} by the classes, "
        f"{(table['mean F, best seed'] >= score).sum()}."
    ]
    said += _say_effects(means)
    met = frame[meets(frame, printed[PAPER])]
    by_reading = table["sets met by a seed"]
    said.append(
        f"In both decimals a reading meets the printed score on {by_reading.min()} to "
        f"{by_reading.max()} sets with one seed or another; together the readings meet it on "
        f"{met['dataset'].nunique()} of {len(sets)}, and on "
        f"{_sets_within(frame, printed)} the mean of some reading is within {NEAR:g}."
    )
    said += _say_worth(frame, printed, plain)
    never = [name for name in sets if name not in set(met["dataset"])]
    if never:
        said.append(f"No seed of any reading meets the printed score of {listing(never)}.")
    return said


def _sets_within(frame: Any, printed: Any) -> int:
    means = frame.groupby(["dataset", "method"])["f_score"].mean().reset_index()
    near = (means["f_score"] - means["dataset"].map(printed[PAPER])).abs() <= NEAR
    return int(means.loc[near, "dataset"].nunique())


def _say_effects(means: Any) -> list[str]:
    """Compare each answer with `from_paper`'s, the couplings being the same."""
    parts = []
    both = means.unstack("couplings").loc[list(dict.fromkeys(means.index.get_level_values(1)))]
    if set(COUPLINGS) <= set(both):
        pairs = both.dropna()
        gain = (pairs["joint"] - pairs["separate"]).mean()
        parts.append(f"joint couplings {gain:+.1f} (mean over {many(len(pairs), 'pair')})")
    if AS_PRINTED in both.index:
        gains = (both - both.loc[AS_PRINTED]).drop(index=AS_PRINTED)
        for answer, line in gains.iterrows():
            listed = ", ".join(f"{line[kind]:+.1f} ({kind})" for kind in COUPLINGS if kind in line)
            parts.append(f"{answer} {listed}")
    return [f"What an answer changes in the mean F: {'; '.join(parts)}."] if parts else []


def _say_worth(frame: Any, printed: Any, plain: Any) -> list[str]:
    """Say how often printed scores are met by what is not UNTIE, and those of others by UNTIE."""
    sets = list(dict.fromkeys(frame["dataset"]))
    said = []
    if len(plain):
        met = plain[meets(plain, printed[PAPER])]
        counts = [
            f"{name} on {met.loc[met['method'] == name, 'dataset'].nunique()}"
            for name in dict.fromkeys(plain["method"])
        ]
        said.append(
            "What a match is worth: encodings without kernels or weights meet UNTIE's printed "
            f"score, too: {listing(counts)} of {len(sets)} sets."
        )
    others = [name for name in printed if name != PAPER]
    own = frame[meets(frame, printed[PAPER])]["dataset"].nunique()
    foreign = {name: frame[meets(frame, printed[name])]["dataset"].nunique() for name in others}
    most = max(foreign, key=lambda name: foreign[name])
    said.append(
        f"The same readings meet the printed scores of the {len(others)} other methods on "
        f"{min(foreign.values())} to {foreign[most]} sets (most: {most}), and UNTIE's on {own}."
    )
    return said


def _figure(frame: Any, printed: Any) -> Figure:
    sets = list(dict.fromkeys(frame["dataset"]))
    means = frame.groupby(["couplings", "reading", "seed"], sort=False)["f_score"].mean()
    data = means.rename("mean_f").reset_index().assign(printed=printed.loc[sets, PAPER].mean())
    text = (
        "Panels for separate and joint couplings: a row for each reading, a ring for each seed at "
        "its mean F, and a line at the printed mean."
    )
    return Figure("readings_means", "Mean F-score of the readings", data, draw, text)


def draw(data: Any) -> Any:
    """Draw the mean F of every reading and seed, a panel for each kind of couplings."""
    kinds = list(dict.fromkeys(data["couplings"]))
    order = list(dict.fromkeys(data["reading"]))
    figure, panels_drawn = panels(len(kinds), height=0.9 + 0.24 * len(order))
    for axes, couplings in zip(panels_drawn, kinds, strict=True):
        part = data[data["couplings"] == couplings]
        places = part["reading"].map(order.index)
        colour = METHOD_COLOURS[PAPER]
        axes.plot(part["mean_f"], places, "o", ms=4, mfc="none", mec=colour, label="a seed")
        axes.axvline(data["printed"].iloc[0], color=INK, ls="--", lw=1.0, label="printed mean")
        named = axes.get_subplotspec().is_first_col()
        axes.set(yticks=range(len(order)), yticklabels=order if named else [])
        axes.set(ylim=(len(order) - 0.4, -0.6), xlim=_around(data[["mean_f", "printed"]]))
        axes.set_xlabel("mean F-score")
        name_panel(axes, f"{couplings} couplings")
    common_legend(figure, panels_drawn)
    return figure


def _around(numbers: Any) -> tuple[float, float]:
    return float(numbers.min().min()) - 2, float(numbers.max().max()) + 2
