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
