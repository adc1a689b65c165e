"""A counted table -> all that a fitted encoder knows; the number of clusters is chosen if asked."""

from __future__ import annotations

from dataclasses import replace

from untie._count.tally import Tally
from untie._learn.choose_k import AUTO_KS, N_SPLITS, choose_number
from untie._learn.fitted import Fitted, finish
from untie._learn.k_choice import KChoice
from untie._learn.learning import Recipe, learn
from untie._learn.means import count_distinct, sample_vectors
from untie._util.seeds import draws_of


def fit_counted(
    counted: Tally, recipe: Recipe, output: str = "compact", n_components: int | None = None
) -> Fitted:
    """Learn from a counted table.

    Where the number of clusters is to be chosen, a first model, for the number that the spectrum
    shows, makes the clusters that are compared, and a second one is learned for the number chosen:
    the one that naming this number gives.
    """
    if not recipe.chooses_k:
        return finish(counted, learn(counted, recipe), output, n_components)
    first = finish(counted, learn(counted, recipe))
    choice, number = _choose(first, counted, recipe)
    model = learn(counted, replace(recipe, n_clusters=number))
    return replace(finish(counted, model, output, n_components), k_choice=choice)


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
    draws = draws_of(recipe.settings.random_state)
    columns = first.grouping.raw.columns
    given = (first.vectors, first.coarse, sample, columns)
    choice = choose_number(*given, AUTO_KS, N_SPLITS, draws)
    return choice, choice.k
