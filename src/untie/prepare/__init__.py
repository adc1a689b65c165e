"""Any table -> a table of categories, and what was done to each of its columns."""

from untie.prepare.making import prepare
from untie.prepare.note import Note
from untie.prepare.preparation import Preparation

__all__ = ["Note", "Preparation", "prepare"]
