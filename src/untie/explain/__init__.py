"""Questions about a fitted encoder, clusters and tables; one file a question.

All answers are frames of the library that the table came in (pandas for arrays).
"""

from untie.explain.examples import border_cases, prototypes
from untie.explain.neighbors import neighbors
from untie.explain.outliers import outliers, why_outlier
from untie.explain.profile import cluster_profile
from untie.explain.similar import why_similar

__all__ = [
    "border_cases",
    "cluster_profile",
    "neighbors",
    "outliers",
    "prototypes",
    "why_outlier",
    "why_similar",
]
