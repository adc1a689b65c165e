"""``python -m untie``: the command."""

from untie.cli.app import main

if __name__ == "__main__":
    main()
