"""The command ``untie``, put together from its sub-commands."""

from __future__ import annotations

from typing import Annotated

import typer

from untie.cli.guard import stop_cleanly_when_terminated
from untie.cli.lazy import LazyCommand
from untie.cli.plugins import PluggedGroup
from untie.cli.streams import set_up_streams

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
    "compare": "Cluster a table with several methods and score the clusters.",
    "fit": "Learn from a table and keep the model in a file.",
    "transform": "Write the vectors of rows, by a model that was learned before.",
    "datasets": "List the data sets that come along, or write one; its last column, class, is the "
    "answer.",
}
"""One file each, with `run` and `EXAMPLES`, and the first sentence of its help; the file is read
when the command is run."""

app = typer.Typer(cls=PluggedGroup, pretty_exceptions_enable=False, rich_markup_mode="rich")


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
