"""The script ``untie`` and ``python -m untie``: the command, if what it needs is installed."""

import sys

from untie._util.messages import need

STOPPED = 130
"""The exit code after Ctrl-C."""


def main() -> None:
    """Run the command, or say in one line what to install."""
    try:
        need("typer", "cli", "Commands")
        from untie.cli.app import main as run
    except ImportError as error:
        sys.exit(f"untie: {error}")
    except KeyboardInterrupt:  # nothing that could say so is imported yet
        sys.exit(STOPPED)
    run()


if __name__ == "__main__":
    main()
