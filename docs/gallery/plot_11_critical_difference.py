"""
Methods over many data sets
===========================

The mean ranks of the methods in the paper's own table of clustering scores, and which differ from
UNTIE by more than chance explains. These are the printed figures; the page on the paper's
evaluation says how far they come out.
"""

from untie.evaluation import average_ranks, critical_difference_diagram, published

table = published("clustering").set_index("dataset").drop(columns="delta").dropna()
ranks = dict(zip(table.columns, average_ranks(table.to_numpy()), strict=True))
critical_difference_diagram(ranks, n_sets=len(table), control="UNTIE")
