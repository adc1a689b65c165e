"""Vectors and similarities for tables made of words instead of numbers."""

from importlib import import_module
from importlib.metadata import version
from types import ModuleType

from untie._count.counts import CountedTable, Counts
from untie._engines.registry import count_table
from untie._engines.scanning import scan
from untie._learn.k_choice import KChoice
from untie._learn.kernels import Gaussian, Pairs, Polynomial
from untie._prepare.note import Note
from untie._table.vocabulary import Vocabulary
from untie.clusterer import UNTIEClusterer
from untie.encoder import UNTIE
from untie.k_choice import choose_k
from untie.model_file import load_model, save_model
from untie.preparer import Preparer
from untie.report import Report, make_report
from untie.vector_file import sink

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
    "Preparer",
    "Report",
    "UNTIEClusterer",
    "Vocabulary",
    "baselines",
    "choose_k",
    "cluster",
    "comparison",
    "count_table",
    "datasets",
    "evaluation",
    "explain",
    "load_model",
    "make_report",
    "plot",
    "report",
    "save_model",
    "scan",
    "sink",
]


def __getattr__(name: str) -> ModuleType:
    """Import a package when it is first asked for: ``untie.explain`` needs no import of its own."""
    if name in __all__:
        return import_module(f"untie.{name}")
    raise AttributeError(f"module 'untie' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
