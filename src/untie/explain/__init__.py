"""Questions about a fitted encoder, clusters and tables; one file a question.

All answers are frames of the library that the encoder's table came in (pandas for arrays).
"""

from untie.explain.examples import border_cases, prototypes
from untie.explain.neighbors import neighbors
from untie.explain.similar import why_similar

__all__ = [
    "border_cases",
    "neighbors",
    "prototypes",
    "why_similar",
]
