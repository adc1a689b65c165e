"""What the readings of the printed protocol say, in sentences made from their figures."""

from __future__ import annotations

from typing import Any

from untie_paper.clustering_scores import NEAR
from untie_paper.methods import PAPER
from untie_paper.off_protocol import LEVEL
from untie_paper.output.words import listing, many
from untie_paper.readings_scores import AS_PRINTED, COMPARED, COUPLINGS, meets

RELATED = "Couplings"
"""A printed method with UNTIE's own couplings; that readings meet its scores says little."""


def findings(frame: Any, table: Any, printed: Any, plain: Any) -> list[str]:
    """Say how far readings differ, what they meet, and what that suggests.

    Parameters
    ----------
    frame : pandas DataFrame
        As `reading_frame` gives it.
    table : pandas DataFrame
        As `readings_table` gives it.
    printed : pandas DataFrame
        The printed scores of all methods.
    plain : pandas DataFrame
        As `plain_frame` gives it.
    """
    met = frame[meets(frame, printed[PAPER])]
    sets = list(dict.fromkeys(frame["dataset"]))
    said = [_reach(frame, table, printed), *_effects(table["mean F"]), *_movement(table)]
    by_reading = table["sets met by a seed"]
    level = [name for name in LEVEL if name in sets]
    said.append(
        f"In both decimals a reading meets the printed score on {by_reading.min()} to "
        f"{by_reading.max()} sets with one seed or another, and all together on "
        f"{met['dataset'].nunique()} of {len(sets)}"
        + (f", {listing(level)} among them, where S is constant in every reading" if level else "")
        + f"; on {_sets_within(frame, printed)} the mean of some reading is within {NEAR:g}."
    )
    said += _worth(frame, printed, plain)
    never = [name for name in sets if name not in set(met["dataset"])]
    if never:
        said.append(f"No seed of any reading meets the printed score of {listing(never)}.")
    return said


def _reach(frame: Any, table: Any, printed: Any) -> str:
    """Say between what the means lie, and whether any reaches the printed one."""
    sets = list(dict.fromkeys(frame["dataset"]))
    means, score = table["mean F"], printed.loc[sets, PAPER].mean()
    best, worst = means.idxmax(), means.idxmin()
    n_compared = sum(reading in COMPARED for _, reading in table.index)
    compared = f" and {many(n_compared, 'comparison')}" if n_compared else ""
    reached, with_best = (int((table[c] >= score).sum()) for c in ("mean F", "mean F, best seed"))
    seeds = f"with the best of {many(frame['seed'].nunique(), 'seed')}, chosen by its score"
    return (
        f"{many(len(table) - n_compared, 'reading')}{compared} on {many(len(sets), 'data set')}: "
        f"mean F from {means[worst]:.1f} ({', '.join(worst)}) to {means[best]:.1f} "
        f"({', '.join(best)}); printed {score:.1f}. "
        + (f"{reached} of them reach it; {seeds}, {with_best}." if with_best else "")
        + ("" if with_best else f"None reaches it, not even {seeds}.")
    )


def _effects(means: Any) -> list[str]:
    """Compare answers with `from_paper`'s, the couplings being the same: the largest changes."""
    both = means.unstack("couplings").loc[list(dict.fromkeys(means.index.get_level_values(1)))]
    parts = []
    if set(COUPLINGS) <= set(both):
        pairs = both.dropna()
        gain = (pairs["joint"] - pairs["separate"]).mean()
        parts.append(f"joint couplings {gain:+.1f} (mean over {many(len(pairs), 'pair')})")
    if AS_PRINTED in both.index:
        gains = (both - both.loc[AS_PRINTED]).drop(index=AS_PRINTED).mean(axis=1)
        largest = gains.loc[gains.abs().sort_values(ascending=False, kind="stable").index[:5]]
        parts += [f"{answer} {gain:+.1f}" for answer, gain in largest.items()]
    return [f"What changes the mean F most: {', '.join(parts)}."] if parts else []


def _movement(table: Any) -> list[str]:
    """Say whether readings are nearer to print the less their weights move."""
    # Other kernels and scales are other spaces, whose distance from print has other reasons.
    names = table.index.get_level_values("reading")
    same = table[[not any(w in name for w in ("kernels", "cosine", "scale")) for name in names]]
    if len(same) < 4:
        return []
    order = same["mean omega"].corr(same["mean difference"], method="spearman")
    least, most = same["mean omega"].idxmin(), same["mean omega"].idxmax()
    return [
        "Among those with all kernels and the diagonal scale, the rank correlation of the mean "
        f"omega (1 at the start) and the mean difference to the printed scores is {order:+.2f}: "
        f"with {', '.join(least)} it is {same['mean omega'][least]:.2f} and the difference "
        f"{same['mean difference'][least]:.1f}, with {', '.join(most)} "
        f"{same['mean omega'][most]:.2f} and {same['mean difference'][most]:.1f}."
    ]


def _sets_within(frame: Any, printed: Any) -> int:
    means = frame.groupby(["dataset", "method"])["f_score"].mean().reset_index()
    near = (means["f_score"] - means["dataset"].map(printed[PAPER])).abs() <= NEAR
    return int(means.loc[near, "dataset"].nunique())


def _worth(frame: Any, printed: Any, plain: Any) -> list[str]:
    """Say how often printed scores are met by what is not UNTIE, and those of others by UNTIE."""
    said = []
    n_sets = frame["dataset"].nunique()
    if len(plain):
        met = plain[meets(plain, printed[PAPER])]
        counts = [
            f"{name} on {met.loc[met['method'] == name, 'dataset'].nunique()}"
            for name in dict.fromkeys(plain["method"])
        ]
        said.append(
            "What a match is worth: encodings without kernels or weights meet UNTIE's printed "
            f"score, too: {listing(counts)} of {n_sets} sets."
        )
    foreign = {
        name: frame[meets(frame, printed[name])]["dataset"].nunique()
        for name in printed
        if name != PAPER
    }
    related = foreign.pop(RELATED)
    own = frame[meets(frame, printed[PAPER])]["dataset"].nunique()
    listed = ", ".join(f"{name} {count}" for name, count in foreign.items())
    n_runs = int(frame.groupby("dataset").size().max())
    said.append(
        f"Any of {many(n_runs, 'run')} a set may meet a score by chance: they meet UNTIE's printed "
        f"score on {own} sets, {RELATED}', which has the same couplings, on {related}, and those "
        f"of the other methods on: {listed}."
    )
    return said
