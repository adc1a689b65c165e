"""What counting costs; ``python benchmarks/counting.py --write`` writes this file."""

COSTS: dict[str, tuple[float, ...]] = {
    "histogram": (2300.0, 1.4, 4.0, 3.9),
    "product": (4900.0, 6.7, 0.011, 1.7),
    "sparse": (250000.0, 16.0, 1.7, 21.0, 0.44),
}
"""Nanoseconds per unit of work, in the order of `counting.expected_work`."""
