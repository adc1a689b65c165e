"""What counting costs; ``python benchmarks/counting.py --write`` writes this file."""

COSTS: dict[str, tuple[float, ...]] = {
    "histogram": (7e3, 1.5, 5.0, 11.0),
    "product": (5.1e3, 13.0, 0.012, 3.4),
    "sparse": (470e3, 27.0, 2.6, 31.0, 0.81),
}
"""Nanoseconds per unit of work, in the order of `dense_counting.expected_work`."""
