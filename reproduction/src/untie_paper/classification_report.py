"""What the classification of representations says: tables beside the printed ones, and findings."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie_paper.evaluation import average_ranks, published
from untie_paper.methods import DEFAULT, PAPER
from untie_paper.off_protocol import LEFT_OUT, footnotes, including, sets_off
from untie_paper.output.report import PaperReport, PaperTable
from untie_paper.output.words import listing, many
from untie_paper.run.experiment import Results

METHODS = (PAPER, DEFAULT, "CDE", "One-hot")
PRINTED = (PAPER, "CDE")
"""The methods of the paper's table."""

LINEAR = "SVM (linear)"
CLASSIFIERS = ("SVM", LINEAR, "KNN", "RF", "LR")
PRINTED_SPLITS = 20
PRINTED_AS = {LINEAR: "SVM"}
"""Printed figures of classifiers that have another name there."""


def report(results: Results) -> PaperReport:
    """Return a table for each classifier, the mean ranks, and what they say."""
    scores = tidy(results)
    if scores.empty:
        return PaperReport(["No cell came out."])
    tables = [classifier_table(scores, name) for name in CLASSIFIERS]
    ranks = rank_table(scores)
    return PaperReport(findings(scores, ranks.measured), [ranks, *tables, spread_table(scores)])


def tidy(results: Results) -> Any:
    """Return one row per data set, classifier and method, printed figures beside."""
    import pandas as pd

    lines = [
        {
            "dataset": row["dataset"],
            "classifier": classifier,
            "method": row["method"],
            "mean": float(np.mean(f)),
            "sd": float(np.std(f)),
            "n_splits": len(f),
        }
        for row in results.rows
        for classifier, f in row["f_scores"].items()
    ]
    frame = pd.DataFrame(
        lines, columns=["dataset", "classifier", "method", "mean", "sd", "n_splits"]
    )
    printed = published("classification").rename(
        columns={"f_score": "printed", "std": "printed_sd", "classifier": "printed_as"}
    )
    frame["printed_as"] = frame["classifier"].replace(PRINTED_AS)
    return frame.merge(printed, how="left", on=["dataset", "printed_as", "method"])


def classifier_table(scores: Any, classifier: str) -> PaperTable:
    """Return mean and sd of all methods with one classifier, beside the printed means."""
    chosen = scores[scores["classifier"] == classifier]
    measured, printed = wide(chosen, "mean", "sd"), wide(chosen, "printed", "printed_sd")
    printed = printed[list(PRINTED)]
    ours = (PAPER, f"{PAPER} sd")
    notes = footnotes(measured, ours, is_whole=False)
    off = off_sets(measured.index)
    means = {"mean": measured}
    if 0 < len(off) < len(measured):
        means[f"mean, {LEFT_OUT}"] = measured.drop(index=off)
    # A mean over fewer sets than another column's can't be compared with it.
    means = {name: [c.mean(skipna=False) for _, c in rows.items()] for name, rows in means.items()}
    for name, mean in means.items():
        measured.loc[name] = mean
    if off:
        notes |= {("mean", name): including(off) for name in ours if (off[0], name) in notes}
    is_printed = classifier not in PRINTED_AS
    note = "Encoders saw the training rows alone. CDE has one start of each k-means over values. "
    if is_printed:
        note += (
            "Splits are not the paper's: two means over 20 splits with a standard deviation of 8 "
            "differ by 5 once in twenty times, so smaller differences are not marked."
        )
    else:
        note += f"The paper prints {PRINTED_AS[classifier]} and does not name the kernel."
    return PaperTable(
        name=f"classification_{classifier.lower().replace(' (linear)', '_linear')}",
        title=f"F-score (%) of {classifier}: mean and standard deviation over random splits",
        measured=measured,
        published=printed.dropna(axis=1, how="all") if is_printed else None,
        close=5.0,
        note=note,
        footnotes=notes,
    )


def off_sets(datasets: Any) -> list[str]:
    """Return the data sets on which the printed protocol cannot be followed, of training rows."""
    return sets_off(datasets, is_whole=False)


def spread_table(scores: Any) -> PaperTable:
    """Return the standard deviations of the printed methods, beside the printed ones."""
    import pandas as pd

    parts = [scores[scores["classifier"] == c] for c in CLASSIFIERS if c not in PRINTED_AS]
    columns = [f"{method} sd" for method in PRINTED]
    measured, printed = (
        pd.concat(
            {part["classifier"].iloc[0]: wide(part, *names)[columns] for part in parts}, axis=1
        )
        for names in (("mean", "sd"), ("printed", "printed_sd"))
    )
    ours = [column for column in measured if column[1] == f"{PAPER} sd"]
    return PaperTable(
        name="classification_spread",
        title="Standard deviations over random splits",
        measured=measured,
        published=printed,
        close=3.5,
        note="100 is printed without a deviation. Two deviations of 8 over 20 splits differ by 3.5 "
        "once in twenty times.",
        footnotes=footnotes(measured, ours, is_whole=False),
    )


def wide(chosen: Any, mean: str, sd: str) -> Any:
    """Return one row per data set, the mean and the sd of each method as columns."""
    import pandas as pd

    here = set(chosen["dataset"])
    order = [name for name in published("classification")["dataset"].unique() if name in here]
    columns = {}
    for method in METHODS:
        lines = chosen[chosen["method"] == method].set_index("dataset")
        columns[method] = lines[mean].reindex(order)
        columns[f"{method} sd"] = lines[sd].reindex(order)
    frame = pd.DataFrame(columns)
    frame.index.name = "data set"
    return frame


def rank_table(scores: Any) -> PaperTable:
    """Return mean ranks: UNTIE against CDE, as printed, and all four methods."""
    import pandas as pd

    lines, n_sets = {}, 0
    notes: dict[tuple[Any, Any], str] = {}
    for classifier in CLASSIFIERS:
        complete = complete_means(scores, classifier)
        if complete.empty:
            continue
        n_sets = max(n_sets, len(complete))
        off = off_sets(complete.index)
        kept = complete[list(PRINTED)].drop(index=off).round(2)
        fewer: Any = average_ranks(kept) if off and len(kept) else []
        ours = (PAPER, f"{PAPER}, of four") if off else ()
        notes |= {(classifier, name): including(off) for name in ours}
        two = average_ranks(complete[list(PRINTED)].round(2))
        four = average_ranks(complete[list(METHODS)].round(2))
        lines[classifier] = {
            **dict(zip(PRINTED, two, strict=True)),
            **{f"{method}, of four": rank for method, rank in zip(METHODS, four, strict=True)},
            **{f"{m}, {LEFT_OUT}": rank for m, rank in zip(PRINTED, fewer, strict=False)},
        }
    measured = pd.DataFrame.from_dict(lines, orient="index")
    measured.index.name = "classifier"
    printed = published("classification_ranks").pivot_table(
        index="classifier", columns="method", values="average_rank"
    )
    printed = printed.reindex(measured.index)[list(PRINTED)]
    return PaperTable(
        name="classification_ranks",
        title="Mean ranks of the methods (1 is best)",
        measured=measured,
        published=printed,
        close=0.2,
        note=f"Over {n_sets} data sets. The first two columns rank UNTIE and CDE against each "
        "other, as the paper does; the others rank all four methods, or these two without the sets "
        "on which the printed protocol cannot be followed.",
        footnotes=notes,
    )


def complete_means(scores: Any, classifier: str) -> Any:
    """Return the means of a classifier on the sets on which every method came out."""
    chosen = scores[scores["classifier"] == classifier]
    table = chosen.pivot_table(index="dataset", columns="method", values="mean")
    return table.reindex(columns=list(METHODS)).dropna()


def findings(scores: Any, ranks: Any) -> list[str]:
    """Return what the figures say about the paper's table and its claim."""
    result = [agreement(scores), *largest_gaps(scores), *kernel_finding(scores)]
    for classifier in ranks.index:
        means = complete_means(scores, classifier)
        untie, cde = (float(ranks.loc[classifier, method]) for method in PRINTED)
        verdict = "level with" if untie == cde else "better than" if untie < cde else "worse than"
        wins = (means[PAPER].round(2) > means["CDE"].round(2)).sum()
        losses = (means[PAPER].round(2) < means["CDE"].round(2)).sum()
        best = means.mean().sort_values(ascending=False)
        order = ", ".join(f"{method} {value:.1f}" for method, value in best.items())
        beside = printed_means(scores, classifier, means.index)
        result.append(
            f"{classifier}: UNTIE's mean rank against CDE is {untie:.2f} to {cde:.2f}, {verdict} "
            f"CDE ({many(wins, 'set')} won, {losses} lost). Mean F of all methods: {order}{beside}."
            f"{without_off(scores, classifier, means)}"
        )
    return result


def without_off(scores: Any, classifier: str, means: Any) -> str:
    """Return the means of the printed methods without the sets that are off the protocol."""
    off = off_sets(means.index)
    if not off or len(off) == len(means):
        return ""
    kept = means.drop(index=off)
    listed = ", ".join(f"{method} {kept[method].mean():.1f}" for method in PRINTED)
    beside = printed_means(scores, classifier, kept.index)
    return f" Without {listing(off)}, where the protocol cannot be followed: {listed}{beside}."


def printed_means(scores: Any, classifier: str, datasets: Any) -> str:
    """Return the means of the printed figures on those sets, in brackets."""
    chosen = scores[(scores["classifier"] == classifier) & scores["dataset"].isin(datasets)]
    means = chosen.groupby("method")["printed"].mean().dropna()
    listed = ", ".join(f"{method} {means[method]:.1f}" for method in PRINTED if method in means)
    return f" (printed: {listed})" if listed else ""


def agreement(scores: Any) -> str:
    """Return how many printed figures are met, by the spread of the splits."""
    both = scores[scores["printed"].notna() & ~scores["classifier"].isin(PRINTED_AS)]
    if both.empty:
        return "No printed figure has a measured one beside it."
    gap = (both["mean"] - both["printed"]).abs()
    # 100 is printed without a deviation, and can have none.
    error = np.sqrt(
        both["sd"] ** 2 / both["n_splits"] + both["printed_sd"].fillna(0.0) ** 2 / PRINTED_SPLITS
    )
    return (
        f"Printed means met, of {len(both)}: {(gap <= 0.5).sum()} within 0.5 points, "
        f"{(gap <= 2).sum()} within 2, {(gap <= 5).sum()} within 5, and {(gap <= 2 * error).sum()} "
        "within two standard errors of the difference. The paper names no kernel, no penalty, "
        "no number of neighbours and no scaling."
    )


def largest_gaps(scores: Any, n_gaps: int = 5) -> list[str]:
    """Return where measured and printed means are farthest apart."""
    both = scores[scores["printed"].notna() & ~scores["classifier"].isin(PRINTED_AS)]
    order = (both["mean"] - both["printed"]).abs().sort_values(ascending=False).index[:n_gaps]
    listed = "; ".join(
        f"{row['method']} with {row['classifier']} on {row['dataset']} {row['mean']:.1f} "
        f"({row['printed']:.1f})"
        for _, row in both.loc[order].iterrows()
    )
    return [f"The largest gaps, measured (printed): {listed}."] if listed else []


def kernel_finding(scores: Any) -> list[str]:
    """Return which kernel of the SVM the printed figures are nearer to."""
    gaps = {}
    for classifier in ("SVM", LINEAR):
        chosen = scores[(scores["classifier"] == classifier) & scores["printed"].notna()]
        gaps[classifier] = (chosen["mean"] - chosen["printed"]).abs().mean()
    if any(gap != gap for gap in gaps.values()):
        return []
    nearer = min(gaps, key=lambda classifier: gaps[classifier])
    return [
        f"The printed SVM figures are on average {gaps['SVM']:.1f} points from those of the "
        f"default (Gaussian) kernel and {gaps[LINEAR]:.1f} from those of a linear one: nearer to "
        f"the {'linear' if nearer == LINEAR else 'Gaussian'} one."
    ]
