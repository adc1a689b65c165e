"""Questions about what was learned from a table, its clusters and rows; one file per question.

All questions are asked in the same way, here, in `untie.plot` and in `untie.choose_k`:

- First the model: a fitted `TableEncoder`, `UNTIE` or `TableClusterer`, or a scikit-learn pipeline
  that ends in one. Questions about the model's own clusters (`verdict`, `assignments`) need a
  `TableClusterer`.
- Then, if the question is about rows, the raw rows: as they were passed to `fit`. They are prepared
  as the model prepares them.
- Then what it is about: some rows, a column, values. All else is named.
- ``labels=`` are the clusters that the question is about: one label per row, or the name of a
  column. By default they are those of the model. They may come from any other method.
- ``sample_weight=`` is how often each row counts: one number per row, or the name of a column,
  which is then not looked at.
- ``random_state=`` is the seed of all that is drawn, by default 0.

All answers are frames of the library of the rows that are passed. Where these are an array or
files, or a question takes no rows, it is the library of the table that the model was fitted on;
the command fits on pyarrow tables. For a model of arrays, and where the library is not installed,
answers are frames of pandas, polars or pyarrow, whichever is installed, else structured arrays.
"""

from untie._learn.selection.k_choice import Verdict
from untie.explain._alike_values import alike_values, why_alike
from untie.explain._assignments import assignments, unknown_values
from untie.explain._cluster_profile import Profile as Profile
from untie.explain._cluster_profile import cluster_names, cluster_profile
from untie.explain._cluster_profile import names_of as names_of
from untie.explain._cluster_profile import read_profile as read_profile
from untie.explain._cluster_stability import cluster_gaps, cluster_stability
from untie.explain._columns import associations, families, missing_together, weight_shares
from untie.explain._columns import several_shares as several_shares
from untie.explain._drift import Drift, drift
from untie.explain._drift import changes_between as changes_between
from untie.explain._examples import border_cases, prototypes
from untie.explain._examples import examples as examples
from untie.explain._important_columns import carriers_said as carriers_said
from untie.explain._important_columns import important_columns
from untie.explain._likely_values import LikelyCells as LikelyCells
from untie.explain._likely_values import likely_cells as likely_cells
from untie.explain._likely_values import likely_values
from untie.explain._neighbors import neighbors, why_similar
from untie.explain._outliers import few_said as few_said
from untie.explain._outliers import outliers, why_outlier
from untie.explain._outliers import unusual_rows as unusual_rows
from untie.explain._subclusters import Subclusters, subclusters
from untie.explain._subclusters import subclusters_of as subclusters_of
from untie.explain._verdict import verdict

__all__ = [
    "Drift",
    "Subclusters",
    "Verdict",
    "alike_values",
    "assignments",
    "associations",
    "border_cases",
    "cluster_gaps",
    "cluster_names",
    "cluster_profile",
    "cluster_stability",
    "drift",
    "families",
    "important_columns",
    "likely_values",
    "missing_together",
    "neighbors",
    "outliers",
    "prototypes",
    "subclusters",
    "unknown_values",
    "verdict",
    "weight_shares",
    "why_alike",
    "why_outlier",
    "why_similar",
]


def __dir__() -> list[str]:
    return __all__
