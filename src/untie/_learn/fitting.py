"""A counted table -> all that a fitted encoder knows; the number of clusters is chosen if asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from untie._count.canonical import in_canonical_order
from untie._count.selecting import select_tally
from untie._count.tally import Tally
from untie._learn.choose_k import AUTO_KS, AUTO_SEED, N_SPLITS, choose_number
from untie._learn.column_weights import column_factors
from untie._learn.fitted import Fitted, finish
from untie._learn.k_choice import KChoice
from untie._learn.learning import Recipe, learn
from untie._learn.means import count_distinct, sample_vectors
from untie._learn.passive import with_passive
from untie._util.seeds import draws_of
from untie._util.threads import one_thread
from untie._util.types import FloatArray


def fit_counted(
    counted: Tally, recipe: Recipe, output: str = "compact", n_components: int | None = None
) -> Fitted:
    """Learn from a counted table.

    Where the number of clusters is to be chosen, a first model, for the number that the spectrum
    shows, makes the clusters that are compared, and a second one is learned for the number chosen:
    the one that naming this number gives. Passive columns are left out of all this, and join the
    model when it is made.
    """
    counted = _with_draws(counted)
    factors = column_factors(recipe.factors, counted.grouping.raw.columns)
    heard = np.flatnonzero(factors)
    if len(heard) == len(factors):
        return _fit(counted, recipe, factors, output, n_components)
    fitted = _fit(select_tally(counted, heard), recipe, factors[heard], output, n_components)
    return with_passive(fitted, counted, heard)


def _with_draws(counted: Tally) -> Tally:
    """Return the tally with counts that know how many independent draws they are of."""
    kept = counted.ungrouped
    if kept is None:
        return replace(counted, counts=counted.counts.with_draws(counted.sample))
    raw = kept.counts.with_draws(kept.sample)
    # Where no value is merged, both are one object, which a file holds once.
    is_same = counted.counts is kept.counts
    counts = raw if is_same else replace(counted.counts, draws=raw.draws)
    return replace(counted, counts=counts, ungrouped=replace(kept, counts=raw))


def _fit(
    counted: Tally, recipe: Recipe, factors: FloatArray, output: str, n_components: int | None
) -> Fitted:
    counted = _in_order(counted, recipe)
    with one_thread():
        first = learn(counted, recipe, factors)
        if not recipe.chooses_k:
            return finish(counted, first, factors, output, n_components)
        choice, number = _choose(finish(counted, first, factors), counted, recipe)
        model = learn(counted, replace(recipe, n_clusters=number), factors)
        return replace(finish(counted, model, factors, output, n_components), k_choice=choice)


def _in_order(counted: Tally, recipe: Recipe) -> Tally:
    """Return the tally with its sample in an order that the orders of columns help to decide."""
    orders = recipe.orders(counted)
    if counted.sample is None or all(positions is None for positions in orders):
        return counted
    return replace(counted, sample=in_canonical_order(counted.sample, orders))


def _choose(first: Fitted, counted: Tally, recipe: Recipe) -> tuple[KChoice | None, int]:
    sample = counted.sample
    if sample is None:
        raise ValueError(
            "n_clusters='auto' compares the clusters of some rows, but no sample of the rows was "
            "kept; name the number of clusters, leave n_clusters=None, or start anew from rows or "
            "from what untie.count_table gives."
        )
    n_distinct = count_distinct(sample_vectors(first.vectors, sample))
    if n_distinct <= AUTO_KS[0]:
        return None, n_distinct
    draws = draws_of(AUTO_SEED)
    given = (first.vectors, first.coarse, first.attributes, sample, first.grouping.raw.columns)
    choice = choose_number(*given, AUTO_KS, N_SPLITS, draws)
    return choice, choice.k
