"""
What has changed
================

A fitted model keeps the counts of its table. Beside those of a new table, they show the values
whose share has changed most. Here the new table has fewer of one kind of animal.
"""

import matplotlib.pyplot as plt

from untie import TableEncoder, explain
from untie.datasets import load

animals, kind = load("zoo")
before = animals.sample(2000, replace=True, random_state=0)
after = animals[kind != "bird"].sample(2000, replace=True, random_state=1)
found = explain.drift(TableEncoder().fit(before), after)
print(found.verdict)

# %%

changed = found.frequencies.query("drifted").sort_values("change", key=abs).tail(12)
names = changed["column"] + " = " + changed["value"].astype(str)
figure, ax = plt.subplots(layout="constrained")
ax.barh(names, changed["change"])
ax.axvline(0, color="gray", linewidth=1)
ax.set_xlabel("change of the share of rows")
