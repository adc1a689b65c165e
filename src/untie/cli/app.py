"""The command ``untie``, put together from its sub-commands."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from untie.cli.guard import GuardedGroup, stop_cleanly_when_terminated
from untie.cli.streams import UserError, set_up_streams

COMMANDS = {
    "report": "Learn, choose the number of groups, find and explain them, and write a page about "
    "it all.",
    "cluster": "Group similar rows and show what makes each group.",
    "assign": "Put new rows into the clusters of a model.",
    "neighbors": "Find the rows most like a row, or like some values, and say why.",
    "outliers": "Find the rows with the most surprising combinations of values, and say which they "
    "are.",
    "values": "Find values that occur in the same company, such as two names of one thing, and say "
    "why.",
    "drift": "Tell what has changed from one table to another.",
    "compare": "Cluster a table with UNTIE, one-hot, MCA, k-modes and CDE, and score the clusters.",
    "fit": "Learn from a table and keep the model in a file.",
    "transform": "Write the vectors of rows, by a model that was learned before.",
    "datasets": "List the data sets that come along, or write one; its last column, class, is the "
    "answer.",
}
"""One file each, with `run` and `EXAMPLES`, and the first sentence of its help; the file is read
when the command is run."""

PAPER = ("paper", "untie_paper", "untie_paper.command")
"""A command of another distribution: its name, and the modules that tell of it and have it."""


class Commands(GuardedGroup):
    """The sub-commands, and ``paper`` where it is installed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        own = super().list_commands(ctx)
        return [*own, PAPER[0]] if find_spec(PAPER[1]) else own

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; ``paper`` says how to install it if it is not there."""
        if cmd_name != PAPER[0]:
            return super().get_command(ctx, cmd_name)
        try:
            module = import_module(PAPER[2])
        except ImportError as error:
            return _refusal(f"the command 'paper' needs the distribution untie-paper ({error})")
        return single_command(PAPER[0], module.run, epilog=module.EXAMPLES)


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


def _refusal(problem: str) -> Any:
    """Return a command that takes any arguments and tells what is wrong."""
    remedy = "pip install untie-paper (or ./reproduction, in a clone of the repository)"

    def refuse() -> None:
        raise UserError(f"{problem}; install it with: {remedy}")

    any_arguments = {"ignore_unknown_options": True, "allow_extra_args": True}
    return single_command(
        PAPER[0],
        refuse,
        help="Can't be loaded; run it to see why.",
        context_settings=any_arguments,
        add_help_option=False,
    )


app = typer.Typer(cls=Commands, pretty_exceptions_enable=False, rich_markup_mode="rich")


def _unread() -> None:
    """Stand for a command whose file is not read yet."""


for _name, _help in COMMANDS.items():
    app.command(_name, cls=LazyCommand, help=_help)(_unread)


def _print_version(wanted: bool) -> None:
    if wanted:
        from untie import __version__

        typer.echo(f"untie {__version__}")
        raise typer.Exit


@app.callback(no_args_is_help=True)
def _untie(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Vectors and similarities for tables made of words instead of numbers."""


def main() -> None:
    """Run the command, under its own name however it was started."""
    set_up_streams()
    stop_cleanly_when_terminated()
    app(prog_name="untie")


if __name__ == "__main__":
    main()
