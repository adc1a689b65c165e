"""Pictures of what was learned; one file per question.

Questions are asked as in `untie.explain`: first the fitted model, then raw rows if the question is
about rows, then what it is about; all else is named. Each function returns the axes that it drew
on: those given as `ax`, or those of a new figure. Needs matplotlib, of the extra ``report``.
"""

from untie.plot._associations import associations
from untie.plot._choice import choice_of_k
from untie.plot._dendrogram import value_dendrogram
from untie.plot._maps import map_rows, map_values
from untie.plot._profiles import cluster_profiles
from untie.plot._weight_shares import weights

__all__ = [
    "associations",
    "choice_of_k",
    "cluster_profiles",
    "map_rows",
    "map_values",
    "value_dendrogram",
    "weights",
]


def __dir__() -> list[str]:
    return __all__
