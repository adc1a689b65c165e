"""One page about a table: its groups, what makes them, and the rows to look at."""

from untie.report._report import Report
from untie.report.making import make_report

__all__ = ["Report", "make_report"]


def __dir__() -> list[str]:
    return __all__
