"""``untie transform``: the vectors of rows, by a model that was learned before."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from untie.cli.options import RESULT, File, OutputFormat, SourceOptions, sharing
from untie.cli.streams import check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie transform mushroom.untie new.csv --output vectors.parquet[/cyan]

[cyan]cat new.csv | untie transform mushroom.untie - --keep id > vectors.csv[/cyan]"""

ENDINGS = (".csv", ".tsv", ".parquet", ".pq", ".feather", ".arrow")


@sharing(SourceOptions)
def run(
    options: SourceOptions,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What untie fit or Python saved.")],
    file: File = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write here, in the format of the ending (.csv, .tsv, .parquet, .feather).",
            rich_help_panel=RESULT,
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Columns to write as well, such as a key."),
    ] = None,
    format_: OutputFormat = None,
) -> None:
    """Write the vectors of rows, by a model that was learned before.

    Numbers are binned as in the table that the model was learned from. Columns that it was not
    learned from are left alone. A value that the model does not know is neutral, and is told. Of
    a clusterer, these are the vectors that it finds clusters of.
    """
    check_output(output, ENDINGS)
    from untie.cli.streaming import write_vectors

    write_vectors(model, file, options, output, keep, format_)
