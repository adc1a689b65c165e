"""``python -m untie``: the command."""

from untie.cli import main

if __name__ == "__main__":
    main()
