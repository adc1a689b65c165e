import io

import numpy as np
import pandas as pd

from untie_paper.output.frames import to_csv


def test_full_precision():
    values = np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(-25, 25)
    lines = to_csv(pd.DataFrame({"a": values})).decode().splitlines()
    assert [float(line) for line in lines[1:]] == values.tolist()


def test_index_only_where_it_says_something(scores, curve):
    assert to_csv(curve.data).startswith(b"x,y\n0,0.1\n")
    assert to_csv(scores.measured).startswith(b"data set,UNTIE,CDE,own\nzoo,75.042,80.0,1.0\n")


def test_words_with_commas_and_lines():
    frame = pd.DataFrame({"a": ['x, "y"\nz', "é"]})
    assert pd.read_csv(io.BytesIO(to_csv(frame)))["a"].tolist() == frame["a"].tolist()
