"""What the package is called where it is installed from, and its version: said nowhere else."""

DISTRIBUTION = "untie-learn"
"""The name for ``pip install``; on the package index, ``untie`` is another's."""

DOCUMENTATION = "https://untie-learn.github.io/untie/"
"""Where the documentation is, for links."""

VERSION = "0.1.0"
