"""Vectors and similarities for tables made of words instead of numbers."""

from importlib.metadata import version

from untie.core.counts import CountedTable, Counts
from untie.core.kernels import Gaussian, Pairs, Polynomial
from untie.core.tally import count_table
from untie.core.vocabulary import Vocabulary
from untie.encoder import UNTIE
from untie.saving import load_model

__version__ = version("untie")

__all__ = [
    "UNTIE",
    "CountedTable",
    "Counts",
    "Gaussian",
    "Pairs",
    "Polynomial",
    "Vocabulary",
    "count_table",
    "load_model",
]
