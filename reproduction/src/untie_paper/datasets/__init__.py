"""The data sets of the paper, and tables like them."""

from untie_paper.datasets._figures import Figures, measure, printed_figures
from untie_paper.datasets._generators import make_led24, make_synthetic
from untie_paper.datasets._registry import load, names, source

__all__ = [
    "Figures",
    "load",
    "make_led24",
    "make_synthetic",
    "measure",
    "names",
    "printed_figures",
    "source",
]
