"""Any table -> a table of categories, and what was done to each of its columns."""

from untie._prepare.making import prepare
from untie._prepare.note import Note
from untie._prepare.preparation import Preparation

__all__ = ["Note", "Preparation", "prepare"]
