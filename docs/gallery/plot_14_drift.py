"""
What has changed
================

Two tables of one kind, and the values whose share has changed most. Here the second table has
fewer of one kind of animal.
"""

import matplotlib.pyplot as plt

from untie import explain
from untie.datasets import load

animals, kind = load("zoo")
before = animals.sample(2000, replace=True, random_state=0)
after = animals[kind != "bird"].sample(2000, replace=True, random_state=1)
found = explain.drift(before, after)
print(found.verdict)

# %%

changed = found.frequencies.query("drifted").sort_values("change", key=abs).tail(12)
names = changed["column"] + " = " + changed["value"].astype(str)
figure, ax = plt.subplots(layout="constrained")
ax.barh(names, changed["change"])
ax.axvline(0, color="gray", linewidth=1)
ax.set_xlabel("change of the share of rows")
