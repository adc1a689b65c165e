"""The command ``untie``, put together from its sub-commands."""

from __future__ import annotations

from importlib.metadata import entry_points
from types import ModuleType
from typing import Annotated

import typer

from untie import __version__
from untie.cli import (
    cluster,
    compare,
    datasets,
    fit,
    neighbors,
    outliers,
    report,
    transform,
    values,
)
from untie.cli.guard import GuardedGroup

COMMANDS = (report, cluster, neighbors, outliers, values, compare, fit, transform, datasets)
"""One file each, with `run` and `EXAMPLES`; the name of the file is that of the command."""

PLUGINS = "untie.commands"
"""Entry points of other distributions that bring a command: modules of the same form."""


def _add(name: str, module: ModuleType) -> None:
    app.command(name, epilog=module.EXAMPLES)(module.run)


app = typer.Typer(cls=GuardedGroup, pretty_exceptions_enable=False, rich_markup_mode="rich")
for _module in COMMANDS:
    _add(_module.__name__.rpartition(".")[2], _module)
for _plugin in entry_points(group=PLUGINS):
    _add(_plugin.name, _plugin.load())


def _print_version(wanted: bool) -> None:
    if wanted:
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
    app(prog_name="untie")


if __name__ == "__main__":
    main()
