"""``untie datasets``: tables to try things on."""

from __future__ import annotations

from typing import Annotated

import typer

from untie._table.frames import columns_of
from untie.cli.options import Output, OutputFormat
from untie.cli.showing import say, show
from untie.cli.streams import UserError, check_output
from untie.datasets import load, names

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie datasets[/cyan]  what there is

[cyan]untie datasets zoo --output zoo.csv[/cyan]

[cyan]untie datasets mushroom | untie cluster - --label class[/cyan]"""

LABEL = "class"

FRAME = "numpy"
"""Tables are read without a library for frames, of which none need be installed."""


def run(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A data set to write.", show_default=False),
    ] = None,
    output: Output = None,
    format_: OutputFormat = None,
) -> None:
    """List the data sets that come along, or write one; its last column, class, is the answer."""
    check_output(output)
    if name is None:
        _list(format_, output)
        return
    try:
        X, y = load(name, frame=FRAME)
    except ValueError as error:
        raise UserError(str(error)) from error
    label = LABEL if LABEL not in X.dtype.names else f"{LABEL} (answer)"
    show({**columns_of(X), label: y.tolist()}, format_, output)


def _list(format_: OutputFormat, output: Output) -> None:
    tables = [load(name, frame=FRAME) for name in names()]
    columns = {
        "name": names(),
        "rows": [len(y) for _, y in tables],
        "columns": [len(X.dtype.names) for X, _ in tables],
        "classes": [len(set(y.tolist())) for _, y in tables],
    }
    show(columns, format_, output, "Data sets")
    say("Write one: untie datasets NAME --output NAME.csv", quiet=output is not None)
