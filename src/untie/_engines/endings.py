"""What a file is, by how its name ends."""

from __future__ import annotations

import os

KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
"""What a file is, by how its name ends; all but Parquet may be compressed."""

COMPRESSED = (".gz", ".zst")


def suffix_of(path: str) -> str:
    """Return how a name ends, apart from how the file is compressed.

    Examples
    --------
    >>> suffix_of("data/A.CSV"), suffix_of("a.b.ndjson.gz"), suffix_of("table")
    ('.csv', '.ndjson', '')
    """
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSED else suffix


def kind_of(path: str) -> str:
    """Return what a file is, by its name."""
    suffix = suffix_of(path)
    if suffix not in KINDS:
        raise ValueError(
            f"{path!r} has none of the known endings {', '.join(KINDS)}; rename the file, or "
            "read it with a query: untie.scan(sql=\"SELECT * FROM read_csv('...')\")."
        )
    return KINDS[suffix]
