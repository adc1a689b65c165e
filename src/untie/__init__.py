"""Vectors and similarities for tables made of words instead of numbers."""

from importlib.metadata import version

from untie.choose_k import KChoice, choose_k
from untie.clusterer import UNTIEClusterer
from untie.core.counts import CountedTable, Counts
from untie.core.kernels import Gaussian, Pairs, Polynomial
from untie.core.vocabulary import Vocabulary
from untie.count import count_table
from untie.encoder import UNTIE
from untie.engines.scan import scan
from untie.engines.sink import sink
from untie.prepare import Note, Preparation, prepare
from untie.report import Report, make_report
from untie.saving import load_model

__version__ = version("untie")

__all__ = [
    "UNTIE",
    "CountedTable",
    "Counts",
    "Gaussian",
    "KChoice",
    "Note",
    "Pairs",
    "Polynomial",
    "Preparation",
    "Report",
    "UNTIEClusterer",
    "Vocabulary",
    "choose_k",
    "count_table",
    "load_model",
    "make_report",
    "prepare",
    "scan",
    "sink",
]
