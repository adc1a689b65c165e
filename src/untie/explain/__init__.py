"""Questions about a fitted encoder, clusters and tables; one file per question.

All answers are frames of the library that the table came in. For arrays, and where that library is
not installed, they are frames of pandas, polars or pyarrow, whichever is installed, else structured
arrays.
"""

from untie.explain._assignments import assignments
from untie.explain._associations import associations
from untie.explain._changes import Drift, drift
from untie.explain._examples import border_cases, prototypes
from untie.explain._examples import examples as examples
from untie.explain._families import families
from untie.explain._gaps import missing_together
from untie.explain._left_out import with_left_out as with_left_out
from untie.explain._naming import cluster_names
from untie.explain._neighbors import neighbors
from untie.explain._profile import cluster_profile
from untie.explain._similar import why_similar
from untie.explain._stability import cluster_stability
from untie.explain._unknown import unknown_values
from untie.explain._unusual import outliers, why_outlier
from untie.explain._values import alike_values, why_alike
from untie.explain._verdict import Verdict, verdict
from untie.explain._weights import several_shares as several_shares
from untie.explain._weights import weight_shares

__all__ = [
    "Drift",
    "Verdict",
    "alike_values",
    "assignments",
    "associations",
    "border_cases",
    "cluster_names",
    "cluster_profile",
    "cluster_stability",
    "drift",
    "families",
    "missing_together",
    "neighbors",
    "outliers",
    "prototypes",
    "unknown_values",
    "verdict",
    "weight_shares",
    "why_alike",
    "why_outlier",
    "why_similar",
]


def __dir__() -> list[str]:
    return __all__
