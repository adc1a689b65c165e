"""
Methods over many data sets
===========================

The mean ranks of the methods in the paper's own table of clustering scores, and which differ from
UNTIE by more than chance explains. These are the printed figures; the page on the paper's
evaluation says how far they come out.
"""

from untie import plot
from untie.evaluation import average_ranks, published

table = published("clustering").set_index("dataset").drop(columns="delta").dropna()
ranks = dict(zip(table.columns, average_ranks(table.to_numpy()), strict=True))
plot.critical_difference(ranks, n_sets=len(table), control="UNTIE")
