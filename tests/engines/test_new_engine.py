"""An engine is one file and one line: the example of CONTRIBUTING.md, run as it is printed."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import untie
from same import assert_same_counts, assert_same_model
from tables import encoder_of
from untie import TableClusterer, TableEncoder, choose_k, count_table
from untie._count import tally
from untie._engines import registry

GUIDE = Path(__file__).parents[2] / "CONTRIBUTING.md"


@pytest.fixture(autouse=True)
def frames_engine(monkeypatch):
    section = GUIDE.read_text().split("## A new engine\n")[1]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1)
    names = {}
    exec(code, names)
    monkeypatch.setattr(registry, "ENGINES", (*registry.ENGINES, names["adopt_frames"]))
    return names["FramesSource"]


def table(n_rows=300):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, n_rows)
    columns = {
        name: [f"v{(k + c) % 5}" for k, c in zip(kind, rng.geometric(0.6, n_rows), strict=True)]
        for name in "ABCD"
    }
    return pd.DataFrame({**columns, "w": rng.integers(0, 3, n_rows) / 4})


def pieces(frame):
    return [frame[:0], frame[:7], frame[7:150], frame[150:150], frame[150:]]


FRAME = table()
CELLS = FRAME.drop(columns="w")


def test_it_is_recognized(frames_engine):
    assert isinstance(registry.open_table(pieces(CELLS)), frames_engine)
    assert not registry.open_table(CELLS).is_lazy
    assert not registry.open_table(CELLS.values.tolist()).is_lazy


@pytest.mark.parametrize("weight", [None, "w"])
def test_counts(weight):
    frame = FRAME if weight else CELLS
    assert_same_counts(count_table(pieces(frame), weight), count_table(frame, weight))


@pytest.mark.parametrize("kept", [1, 2_000])
@pytest.mark.parametrize("group", [{}, {"min_frequency": 20}, {"max_categories": 3}], ids=str)
@pytest.mark.parametrize("weight", [None, "w"])
def test_fit(weight, group, kept, monkeypatch):
    monkeypatch.setattr(tally, "KEPT_VALUES", kept)
    frame = FRAME if weight else CELLS
    found = encoder_of(3, **group).fit(pieces(frame), sample_weight=weight)
    assert_same_model(found, encoder_of(3, **group).fit(frame, sample_weight=weight))


def test_partial_fit_and_transform():
    encoder = TableEncoder(3, preparer=None).partial_fit(pieces(CELLS[:100]))
    encoder.partial_fit(pieces(FRAME[100:].assign(w=1.0)[["w", *"DCBA"]]), sample_weight="w")
    expected = TableEncoder(3, preparer=None).fit(CELLS)
    assert_same_model(encoder, expected)
    found = encoder.transform(pieces(FRAME))
    assert [len(part) for part in found] == [len(part) for part in pieces(FRAME)]
    np.testing.assert_array_equal(np.concatenate(found), encoder.transform(CELLS))
    np.testing.assert_array_equal(
        np.concatenate(TableEncoder(3, preparer=None).fit_transform(pieces(CELLS))),
        expected.transform(CELLS),
    )


def test_clusters_and_their_number():
    encoder = TableEncoder(3, preparer=None).fit(CELLS)
    found, expected = choose_k(encoder, pieces(CELLS)), choose_k(encoder, CELLS)
    np.testing.assert_array_equal(found.gain, expected.gain)
    clusterer = TableClusterer(3, random_state=0, preparer=None).fit(
        pieces(FRAME), sample_weight="w"
    )
    labels = np.concatenate(clusterer.predict(pieces(CELLS)))
    np.testing.assert_array_equal(labels, clusterer.predict(CELLS))


def test_what_it_does_not_write_is_refused(tmp_path):
    with pytest.raises(TypeError, match="the list of frames can't be written from here"):
        untie.sink(
            TableEncoder(3, preparer=None).fit(CELLS),
            registry.open_table(pieces(CELLS)),
            tmp_path / "v.csv",
        )
    with pytest.raises(TypeError, match="the list of frames can't be changed where they are"):
        registry.open_table(pieces(CELLS)).map_frames(lambda frame, names: frame, ["A"])
    with pytest.raises(ValueError, match="set sparse_output=False"):
        TableEncoder(3, sparse_output=True, preparer=None).fit(CELLS).transform(pieces(CELLS))
    with pytest.raises(ValueError, match="no column 'A' of the encoder in the list of frames;"):
        TableEncoder(3, preparer=None).fit(CELLS).transform(pieces(CELLS[["B", "C", "D"]]))


def test_no_rows():
    with pytest.raises(ValueError, match=r"0 sample.*the list of frames has 0 rows"):
        TableEncoder(3, preparer=None).fit([CELLS[:0], CELLS[:0]])
    with pytest.raises(ValueError, match=r"0 sample.*has 300 rows, and 'w' is 0 in all of them"):
        TableEncoder(3, preparer=None).fit(pieces(FRAME.assign(w=0)), sample_weight="w")
