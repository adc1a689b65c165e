"""Pictures of what was learned; one file a question.

Each function takes fitted objects or data and returns the axes that it drew on: those given as
`ax`, or those of a new figure. Needs matplotlib (``pip install 'untie[report]'``).
"""

from untie.evaluation.diagram import critical_difference_diagram as critical_difference
from untie.plot.choice import choice_of_k
from untie.plot.dendrogram import value_dendrogram
from untie.plot.eigenvalues import spectrum
from untie.plot.loss_curve import loss
from untie.plot.profiles import cluster_profiles
from untie.plot.rows import map_rows
from untie.plot.values import map_values
from untie.plot.weight_shares import weights

__all__ = [
    "choice_of_k",
    "cluster_profiles",
    "critical_difference",
    "loss",
    "map_rows",
    "map_values",
    "spectrum",
    "value_dendrogram",
    "weights",
]
