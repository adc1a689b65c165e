"""The command ``untie``: one sub-command a file."""

from __future__ import annotations

from typing import Annotated

import typer

from untie import __version__
from untie.commands import (
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
from untie.commands.guard import GuardedGroup
from untie.paper import command as paper

app = typer.Typer(cls=GuardedGroup, pretty_exceptions_enable=False, rich_markup_mode="rich")
app.command(epilog=report.EXAMPLES)(report.report)
app.command(epilog=cluster.EXAMPLES)(cluster.cluster)
app.command(epilog=neighbors.EXAMPLES)(neighbors.neighbors)
app.command(epilog=outliers.EXAMPLES)(outliers.outliers)
app.command(epilog=values.EXAMPLES)(values.values)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=fit.EXAMPLES)(fit.fit)
app.command(epilog=transform.EXAMPLES)(transform.transform)
app.command(epilog=datasets.EXAMPLES)(datasets.datasets)
app.command(epilog=paper.EXAMPLES)(paper.paper)


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
