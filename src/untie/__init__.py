"""Clusters, vectors and similarities of the rows of any table, without labels."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from untie._util.about import VERSION

if TYPE_CHECKING:
    from untie._count.counts import CountedTable, Counts
    from untie._engines.registry import count_table
    from untie._engines.scanning import scan
    from untie._learn.selection.k_choice import KChoice
    from untie._learn.spaces.kernels import Gaussian, Pairs, Polynomial
    from untie._prepare.note import Note
    from untie._table.vocabulary import Vocabulary
    from untie.clusterer import TableClusterer
    from untie.encoder import TableEncoder
    from untie.k_choice import choose_k
    from untie.model_file import load_model, save_model
    from untie.preparer import Preparer
    from untie.report import Report, make_report
    from untie.untie_method import UNTIE
    from untie.vector_file import sink

__version__ = VERSION

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
    "TableClusterer",
    "TableEncoder",
    "Vocabulary",
    "choose_k",
    "cluster",
    "comparison",
    "count_table",
    "datasets",
    "decomposition",
    "explain",
    "load_model",
    "make_report",
    "plot",
    "report",
    "save_model",
    "scan",
    "sink",
]

_HOMES = {
    "UNTIE": "untie_method",
    "CountedTable": "_count.counts",
    "Counts": "_count.counts",
    "Gaussian": "_learn.spaces.kernels",
    "KChoice": "_learn.selection.k_choice",
    "Note": "_prepare.note",
    "Pairs": "_learn.spaces.kernels",
    "Polynomial": "_learn.spaces.kernels",
    "Preparer": "preparer",
    "Report": "report",
    "TableClusterer": "clusterer",
    "TableEncoder": "encoder",
    "Vocabulary": "_table.vocabulary",
    "choose_k": "k_choice",
    "count_table": "_engines.registry",
    "load_model": "model_file",
    "make_report": "report",
    "save_model": "model_file",
    "scan": "_engines.scanning",
    "sink": "vector_file",
}
"""Where each name that is no package comes from."""


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is first asked for.

    scikit-learn and scipy take more than a second, which ``untie --help`` need not wait for; and
    ``untie.explain`` needs no import of its own.
    """
    found: Any
    if name in _HOMES:
        found = getattr(import_module(f"untie.{_HOMES[name]}"), name)
    elif not name.startswith("__") and find_spec(f"untie.{name}") is not None:
        return import_module(f"untie.{name}")
    else:
        raise AttributeError(f"module 'untie' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
