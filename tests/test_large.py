"""Tables of the sizes that users bring; `make test-slow` runs them."""

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest

from untie import TableEncoder, count_table

pytestmark = pytest.mark.slow


def peak_megabytes(code):
    """Run code in a process of its own; return what it prints: its peak above the start."""
    program = (
        textwrap.dedent("""
        import resource, sys
        import numpy as np, pandas as pd
        from untie import UNTIE, TableEncoder

        def peak():
            unit = 1 if sys.platform == "darwin" else 1024
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6

        rng = np.random.default_rng(0)
    """)
        + textwrap.dedent(code)
        + "\nprint(peak() - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def test_a_million_rows_take_less_than_200_megabytes_above_the_table():
    used = peak_megabytes("""
        words = np.array(["red", "green", "blue"])
        table = pd.DataFrame({f"c{j}": words[rng.integers(0, 3, 10**6)] for j in range(10)})
        TableEncoder(2).fit(table[:1000])
        before = peak()
        TableEncoder(2).fit(table)
    """)
    assert used < 200


def test_100_attributes_of_100_values_take_less_than_4_gibibytes():
    used = peak_megabytes("""
        classes = rng.integers(0, 5, 20_000)
        codes = rng.integers(0, 100, (20_000, 100))
        codes[:, ::2] = (codes[:, ::2] // 5 + 20 * classes[:, None]) % 100
        table = pd.DataFrame(codes)
        before = peak()
        X = TableEncoder(5, n_components=10).fit(table).transform(table[:10])
        assert np.isfinite(X).all()
    """)
    assert used < 4 * 1024**3 / 1e6


def test_ten_million_rows_in_chunks_equal_the_whole():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (10**7, 4)).astype(np.int8)
    codes[:, 1] = (codes[:, 0] + (rng.random(10**7) < 0.3)) % 3
    chunks = [count_table(chunk) for chunk in np.array_split(codes, 7)]
    counted = sum(chunks[1:], start=chunks[0])
    encoder = TableEncoder(2, preparer=None).fit_counts(counted)
    whole = TableEncoder(2, preparer=None).fit(codes)
    np.testing.assert_array_equal(encoder.counts_.matrix, whole.counts_.matrix)
    np.testing.assert_array_equal(encoder.transform(codes[:100]), whole.transform(codes[:100]))


def test_one_column_of_many_values_beside_small_ones():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"city": rng.zipf(1.3, 50_000) % 30_000, "sex": rng.integers(0, 2, 50_000)}
    )
    encoder = TableEncoder(2, max_categories=500, preparer=None).fit(table)
    assert encoder.vocabulary_.sizes == (500, 2)
    assert np.isfinite(encoder.transform(table)).all()
