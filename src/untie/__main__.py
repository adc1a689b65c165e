"""The script ``untie`` and ``python -m untie``: the command, if what it needs is installed."""

import sys

from untie._util.extras import need


def main() -> None:
    """Run the command, or say in one line what to install."""
    try:
        need("typer", "cli", "Commands")
    except ImportError as error:
        sys.exit(f"untie: {error}")
    from untie.cli.app import main as run

    run()


if __name__ == "__main__":
    main()
