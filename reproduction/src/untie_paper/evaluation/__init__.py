"""Measures of representations and clusterings, tests between methods, and published results."""

from untie_paper.evaluation._clustering import (
    adjusted_rand_index,
    best_match_f_score,
    clustering_accuracy,
    clustering_f_score,
    clustering_scores,
    normalized_mutual_information,
    pairwise_f_score,
    purity,
)
from untie_paper.evaluation._diagram import critical_difference_diagram
from untie_paper.evaluation._factors import (
    coupling_matrices,
    inter_factor,
    inter_factors,
    intra_factor,
)
from untie_paper.evaluation._goodness import GoodnessCurve, goodness_curve
from untie_paper.evaluation._paper_tables import published, published_names
from untie_paper.evaluation._partition import category_utility, conditional_entropy, normalized_cut
from untie_paper.evaluation._ranks import (
    FriedmanTest,
    average_ranks,
    bonferroni_dunn,
    friedman,
    nemenyi,
)
from untie_paper.evaluation._retrieval import precision_at_k

__all__ = [
    "FriedmanTest",
    "GoodnessCurve",
    "adjusted_rand_index",
    "average_ranks",
    "best_match_f_score",
    "bonferroni_dunn",
    "category_utility",
    "clustering_accuracy",
    "clustering_f_score",
    "clustering_scores",
    "conditional_entropy",
    "coupling_matrices",
    "critical_difference_diagram",
    "friedman",
    "goodness_curve",
    "inter_factor",
    "inter_factors",
    "intra_factor",
    "nemenyi",
    "normalized_cut",
    "normalized_mutual_information",
    "pairwise_f_score",
    "precision_at_k",
    "published",
    "published_names",
    "purity",
]


def __dir__() -> list[str]:
    return __all__
