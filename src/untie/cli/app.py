"""The command ``untie``, put together from its sub-commands."""

from __future__ import annotations

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
from untie.cli.plugins import PluggedGroup

COMMANDS = (report, cluster, neighbors, outliers, values, compare, fit, transform, datasets)
"""One file each, with `run` and `EXAMPLES`; the name of the file is that of the command."""

app = typer.Typer(cls=PluggedGroup, pretty_exceptions_enable=False, rich_markup_mode="rich")
for _module in COMMANDS:
    app.command(_module.__name__.rpartition(".")[2], epilog=_module.EXAMPLES)(_module.run)


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
