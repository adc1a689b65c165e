"""A counted table -> all that a fitted encoder knows; the number of clusters is chosen if asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from untie._count.canonical import in_canonical_order
from untie._count.row_sample import RowSample
from untie._count.selecting import select_tally
from untie._count.tally import Tally
from untie._learn.choose_k import AUTO_KS, AUTO_SEED, N_SPLITS, choose_number
from untie._learn.column_weights import column_factors
from untie._learn.fitted import Fitted, finish
from untie._learn.k_choice import KChoice
from untie._learn.learning import Recipe, learner
from untie._learn.means import count_distinct, sample_vectors
from untie._learn.passive import with_passive
from untie._util.seeds import draws_of
from untie._util.threads import one_thread
from untie._util.types import FloatArray


def fit_counted(
    counted: Tally, recipe: Recipe, output: str = "compact", n_components: int | None = None
) -> tuple[Fitted, RowSample | None]:
    """Learn from a counted table.

    Where the number of clusters is to be chosen, a first model, for the number that the spectrum
    shows, makes the clusters that are compared, and a second one is learned for the number chosen:
    the one that naming this number gives. Passive columns are left out of all this, and join the
    model when it is made.

    Returns
    -------
    fitted : Fitted
        The model.
    sample : RowSample or None
        Distinct rows as the model sees them, in canonical order; None where no sample was kept, or
        rows that were distinct when they were sampled are equal to the model.
    """
    counted = _with_draws(counted)
    factors = column_factors(recipe.factors, counted.grouping.raw.columns)
    heard = np.flatnonzero(factors)
    if len(heard) == len(factors):
        fitted, sample = _fit(counted, recipe, factors, output, n_components)
        return fitted, sample if counted.grouping.is_trivial else None
    fitted, _ = _fit(select_tally(counted, heard), recipe, factors[heard], output, n_components)
    return with_passive(fitted, counted, heard), None


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
) -> tuple[Fitted, RowSample | None]:
    if counted.sample is not None:
        ordered = in_canonical_order(counted.sample, recipe.orders(counted))
        counted = replace(counted, sample=ordered)
    with one_thread():
        learn = learner(counted, recipe, factors)
        model, choice = learn(recipe.n_clusters), None
        if recipe.chooses_k:
            choice, number = _choose(finish(counted, model), counted)
            model = learn(number)
        del learn  # with what was not chosen
        fitted = finish(counted, model, output, n_components)
        return replace(fitted, k_choice=choice), counted.sample


def _choose(first: Fitted, counted: Tally) -> tuple[KChoice | None, int]:
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
