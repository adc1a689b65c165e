"""Parquet files -> a lazy table; text stays in the dictionaries that the files have."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, groupby
from typing import Any

from untie._engines.arrow import ArrowSource, Keys, with_keys
from untie._engines.source import one_schema
from untie._util.messages import need
from untie._util.scratch import HARMLESS, most_bytes
from untie._util.threads import n_threads

BATCH_CELLS = 2**22
"""This many cells are read at a time; those of one column are decoded in one thread."""

MOST_ROWS = 2**20
"""At most this many rows are read at a time."""

BATCH_BYTES = 2**26
"""Rows that unpack to this many bytes, by the sizes in the file's footer, are read at a time."""

NOT_SO_TIGHT = (
    "no table is packed that tightly. Read the other columns only, with "
    "untie.scan(..., columns=[...]) or --sql."
)
"""The end of the message about a file that is refused for what it unpacks to."""


def parquet_source(
    paths: Sequence[str], origin: str, keys: Sequence[Keys] | None = None
) -> ArrowSource:
    """Return the rows of Parquet files, one file after another.

    Parameters
    ----------
    paths : sequence of str
        The files.
    origin : str
        Their common name, for messages.
    keys : sequence of mappings, optional
        The cells that the folders of each file name.

    Raises
    ------
    ValueError
        When a file is no Parquet file, or its columns are not those of the first.
    """
    pq = need("pyarrow.parquet")
    schemas, n_rows = [], 0
    for path in paths:
        with _naming(path), pq.ParquetFile(path) as file:
            schemas.append(file.schema_arrow)
            n_rows += file.metadata.num_rows

    schema = one_schema(schemas, paths)

    def read_file(number: int, columns: Sequence[str]) -> Iterator[Any]:
        with _naming(paths[number]):
            yield from _read_file(paths[number], [schema.field(name) for name in columns])

    return with_keys(schema, read_file, keys or [{}] * len(paths), origin, n_rows)


def _read_file(path: str, fields: Sequence[Any]) -> Iterator[Any]:
    pa, pq = need("pyarrow"), need("pyarrow.parquet")
    names = [field.name for field in fields]
    footer, n_packed, n_text = pq.read_metadata(path), os.path.getsize(path), 0
    row_bytes = _checked_row_bytes(footer, path, n_packed, fields)
    texts = [
        field.name for field in fields if _is_text(field.type) and _by_distinct(footer, field.name)
    ]
    with pq.ParquetFile(path, metadata=footer, read_dictionary=texts, pre_buffer=True) as file:
        for batch in _read_groups(file, names, row_bytes):
            # The file has an order of its own, and perhaps a narrower type than others.
            columns = [_as_type(batch.column(field.name), field.type) for field in fields]
            longest = sum(map(_longest, columns))
            if batch.num_rows * longest <= HARMLESS:
                yield pa.RecordBatch.from_arrays(columns, names)
                continue
            # Few long texts, each in many rows: small here, and huge once they are written out.
            n_text += sum(map(_text_bytes, columns))
            if n_text > most_bytes(n_packed):
                raise ValueError(_too_long(path, n_packed, names, columns))
            step = max(1, HARMLESS // longest)
            for start in range(0, batch.num_rows, step):
                yield pa.RecordBatch.from_arrays([c.slice(start, step) for c in columns], names)


def _read_groups(file: Any, names: Sequence[str], row_bytes: Sequence[int]) -> Iterator[Any]:
    """Yield batches of a file, whose row groups have rows of this many bytes."""
    most = min(MOST_ROWS, max(1, BATCH_CELLS // len(names)))
    # Powers of two, so that row groups of about the same width are read together.
    n_rows = [min(most, 2 ** (max(1, BATCH_BYTES // n).bit_length() - 1)) for n in row_bytes]
    # Not too many, as pyarrow keeps the distinct texts of all row groups that it reads in one go.
    sizes = [file.metadata.row_group(i).num_rows * n for i, n in enumerate(row_bytes)]
    runs = [n // BATCH_BYTES for n in accumulate(sizes)]
    for _, groups in groupby(range(len(n_rows)), lambda i: (n_rows[i], runs[i])):
        run = list(groups)
        yield from file.iter_batches(
            n_rows[run[0]], row_groups=run, columns=names, use_threads=n_threads() > 1
        )


def _by_distinct(footer: Any, name: str) -> bool:
    """Return whether to read a column of texts by its distinct ones.

    If a file does not store them, pyarrow collects them, and keeps those of a whole row group. That
    is fast, but only for small row groups.
    """
    chunks = [
        footer.row_group(i).column(j)
        for j in range(footer.num_columns)
        if footer.schema.column(j).path == name
        for i in range(footer.num_row_groups)
    ]
    return any(
        chunk.has_dictionary_page or any("DICTIONARY" in text for text in chunk.encodings)
        for chunk in chunks
    ) or all(chunk.total_uncompressed_size <= BATCH_BYTES for chunk in chunks)


def _checked_row_bytes(metadata: Any, path: str, n_packed: int, fields: Sequence[Any]) -> list[int]:
    """Return how many bytes a row of each row group unpacks to on average, by the footer.

    A file of too many is refused. A column of numbers may be long, and only its largest row group
    is bounded, as pages are unpacked as a whole.
    """
    leaves = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    n_rows = [max(1, group.num_rows) for group in groups]
    row_bytes, sizes = [1] * len(groups), {}
    for field in fields:
        own = [i for i, leaf in enumerate(leaves) if f"{leaf}.".startswith(f"{field.name}.")]
        stated = [sum(group.column(i).total_uncompressed_size for i in own) for group in groups]
        width = _width(field.type)
        sizes[field.name] = sum(stated) if width is None else max(stated, default=0)
        # Numbers that are stored by their distinct values are wider here than in the file.
        means = [max(width or 0, -(-size // n)) for size, n in zip(stated, n_rows, strict=True)]
        row_bytes = list(map(sum, zip(row_bytes, means, strict=True)))
    if sum(sizes.values()) > most_bytes(n_packed):
        raise ValueError(
            f"{path!r} has {n_packed:,} bytes and unpacks to {sum(sizes.values()):,}, most of them "
            f"in the column {max(sizes, key=sizes.__getitem__)!r}; {NOT_SO_TIGHT}"
        )
    return row_bytes


def _width(type_: Any) -> int | None:
    """Return how many bytes each value of a type takes, None if they differ."""
    if need("pyarrow").types.is_dictionary(type_):
        type_ = type_.value_type
    try:
        return -(-type_.bit_width // 8)
    except ValueError:
        return None


def _longest(column: Any) -> int:
    """Return the bytes of the longest text of a column that is stored by its distinct texts."""
    is_dictionary = need("pyarrow").types.is_dictionary(column.type)
    if not is_dictionary or not _is_text(column.type.value_type):
        return 0
    pc = need("pyarrow.compute")
    return pc.max(pc.binary_length(column.dictionary)).as_py() or 0


def _text_bytes(column: Any) -> int:
    """Return how many bytes such a column takes with a text in each row."""
    if not _longest(column):
        return 0
    pc = need("pyarrow.compute")
    return pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0


def _too_long(path: str, n_packed: int, names: Sequence[str], columns: Sequence[Any]) -> str:
    longest = max(zip(names, columns, strict=True), key=lambda pair: _text_bytes(pair[1]))[0]
    return (
        f"{path!r} has {n_packed:,} bytes, and its texts more than {most_bytes(n_packed):,} once "
        f"each row has its own, most of them in the column {longest!r}; {NOT_SO_TIGHT}"
    )


def _as_type(column: Any, wanted: Any) -> Any:
    pa = need("pyarrow")
    if _is_text(column.type) and _is_text(wanted):
        column = column.dictionary_encode()
    own = column.type
    if pa.types.is_dictionary(own) and _is_text(own.value_type) and _is_text(wanted):
        if _is_bytes(own.value_type) == _is_bytes(wanted):
            return column
        return pa.DictionaryArray.from_arrays(column.indices, column.dictionary.cast(wanted))
    return column if own == wanted else column.cast(wanted)


def _is_text(type_: Any) -> bool:
    """Return whether a type is of texts, or of bytes, which are stored alike."""
    pa = need("pyarrow")
    return type_ in (pa.string(), pa.large_string()) or _is_bytes(type_)


def _is_bytes(type_: Any) -> bool:
    pa = need("pyarrow")
    return type_ in (pa.binary(), pa.large_binary())


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Add the file's name to what pyarrow says of a file that it can't read."""
    try:
        yield
    except (need("pyarrow").ArrowInvalid, OSError) as error:
        raise ValueError(
            f"{path!r} can't be read as Parquet: {error} Write the file anew, or leave it out."
        ) from error
