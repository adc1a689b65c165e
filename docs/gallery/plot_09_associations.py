"""
What columns have in common
===========================

0 if two columns are independent, 1 if each determines the other. Columns that say the same have a
frame: they are a family, and share one vote.
"""

from untie import TableEncoder, plot
from untie.datasets import load

people, approved = load("crx")
plot.associations(TableEncoder().fit(people))
