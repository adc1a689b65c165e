"""Polars' lazy frames, collected batch by batch."""

from collections.abc import Iterator, Sequence
from typing import Any

from narwhals import dependencies

from untie._engines.arrow import BATCH_ROWS, ArrowSource
from untie._util.messages import need


def adopt_polars(frame: Any) -> ArrowSource | None:
    """Return a polars LazyFrame as a source."""
    if not dependencies.is_polars_lazyframe(frame):
        return None
    pl = need("polars")
    need("pyarrow", "pyarrow", "Lazy frames of polars")  # polars would fail without a remedy
    if not hasattr(frame, "collect_batches"):
        raise ImportError(
            f"Polars {pl.__version__} can't give a LazyFrame in pieces; upgrade it (pip install "
            "'polars>=1.38.1'), or call .collect() on the frame if it fits in memory."
        )

    def read(columns: Sequence[str]) -> Iterator[Any]:
        # By selectors, as a name such as "^a$" would be a pattern.
        chosen = frame.select([pl.selectors.by_name(name) for name in columns])
        for piece in chosen.collect_batches(chunk_size=BATCH_ROWS):
            yield from piece.to_arrow().to_batches()

    names = pl.DataFrame(schema=frame.collect_schema()).to_arrow().schema
    return ArrowSource(names, read, "the LazyFrame", backend="polars")
