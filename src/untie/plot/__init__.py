"""Pictures of what was learned; rows and values, clusters, columns.

Questions are asked as in `untie.explain`: first the fitted model, then raw rows if the question is
about rows, then what it is about; all else is named. Each function returns the axes that it drew
on: those given as `ax`, or those of a new figure. Needs matplotlib, of the extra ``report``.
"""

from untie.plot._biplot import biplot
from untie.plot._clusters import choice_of_k, cluster_profiles
from untie.plot._columns import associations, weights
from untie.plot._columns import in_order_of_likeness as in_order_of_likeness
from untie.plot._maps import map_rows, map_values, value_dendrogram
from untie.plot._maps import principal as principal

__all__ = [
    "associations",
    "biplot",
    "choice_of_k",
    "cluster_profiles",
    "map_rows",
    "map_values",
    "value_dendrogram",
    "weights",
]


def __dir__() -> list[str]:
    return __all__
