"""The command ``untie``: one sub-command a file."""

from __future__ import annotations

import typer

from untie.paper.command import EXAMPLES, paper

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
app.command(epilog=EXAMPLES)(paper)


@app.callback(no_args_is_help=True)
def _untie() -> None:
    """Vectors and similarities for tables made of words instead of numbers."""


def main() -> None:
    """Run the command."""
    app()


if __name__ == "__main__":
    main()
