"""Questions about a fitted encoder, clusters and tables; one file a question.

All answers are frames of the library that the table came in (pandas for arrays).
"""

from untie.explain.changes import Drift, drift
from untie.explain.examples import border_cases, prototypes
from untie.explain.nearest import neighbors
from untie.explain.profile import cluster_profile
from untie.explain.similar import why_similar
from untie.explain.stability import cluster_stability
from untie.explain.unusual import outliers, why_outlier
from untie.explain.values import alike_values, why_alike
from untie.explain.weights import weight_shares

__all__ = [
    "Drift",
    "alike_values",
    "border_cases",
    "cluster_profile",
    "cluster_stability",
    "drift",
    "neighbors",
    "outliers",
    "prototypes",
    "weight_shares",
    "why_alike",
    "why_outlier",
    "why_similar",
]
