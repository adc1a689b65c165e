"""Commands whose files are read when they are run, and not for the list of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand


class LazyCommand(TyperCommand):
    """A command's name and help; ``untie.cli.NAME`` has its options and what it does."""

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        """Read the command's file, and let the command that it holds take over."""
        module = import_module(f"untie.cli.{self.name}")
        command = single_command(str(self.name), module.run, epilog=module.EXAMPLES)
        return command.make_context(*arguments, **settings)


def single_command(name: str, run: Any, **settings: Any) -> Any:
    """Return a function as a command of its own."""
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name, **settings)(run)
    return typer.main.get_command(alone)
