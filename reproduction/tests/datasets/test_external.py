import gzip
import time
from http.client import IncompleteRead
from itertools import product
from urllib.error import URLError

import numpy as np
import pytest

from fake_openml import URLOPEN, FakeOpenML, offline
from untie_paper.datasets import load, names
from untie_paper.datasets._external import External, fingerprint
from untie_paper.datasets._registry import SOURCES

BITS = [list(bits) for bits in product("01", repeat=4)]
TABLE = {f"b{i}": [row[i] for row in BITS] for i in range(4)} | {
    "class": ["yes" if row.count("1") > 1 else "no" for row in BITS]
}
EXTERNAL = sorted(name for name, source in SOURCES.items() if isinstance(source, External))


@pytest.fixture(autouse=True)
def no_folder(monkeypatch, tmp_path):
    """Hide the user's folder and cache, and every connection."""
    monkeypatch.delenv("UNTIE_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "cache"))
    monkeypatch.setattr(URLOPEN, offline)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)


@pytest.fixture
def small(monkeypatch):
    """Let a name stand for a small table."""
    monkeypatch.setitem(SOURCES, "mofn3710", External(40680, fingerprint(TABLE)))
    return "mofn3710"


def as_text(columns):
    rows = zip(*columns.values(), strict=True)
    return "\n".join(",".join(row) for row in [columns.keys(), *rows]) + "\n"


def as_columns(name, folder):
    X, y = load(name, data_home=folder)
    return X.to_dict("list") | {"class": y.tolist()}


def test_which_sets_are_external():
    assert EXTERNAL == ["audiology", "connect4", "led24", "mofn3710"]


class TestFolder:
    def test_argument_and_variable(self, small, tmp_path, monkeypatch):
        folder, other = tmp_path / "a", tmp_path / "b"
        folder.mkdir()
        (folder / f"{small}.csv").write_text(as_text(TABLE))
        assert as_columns(small, folder) == TABLE
        assert as_columns(small, str(folder)) == TABLE
        monkeypatch.setenv("UNTIE_DATA", str(folder))
        assert as_columns(small, None) == TABLE
        with pytest.raises(FileNotFoundError, match=f"{other} has no such file"):
            load(small, data_home=other)  # the argument goes before the variable

    def test_home_folder(self, small, tmp_path, monkeypatch):
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("USERPROFILE", str(tmp_path))
        (tmp_path / f"{small}.csv").write_text(as_text(TABLE))
        assert as_columns(small, "~") == TABLE

    def test_compressed(self, small, tmp_path):
        with gzip.open(tmp_path / f"{small}.csv.gz", "wt") as file:
            file.write(as_text(TABLE))
        assert as_columns(small, tmp_path) == TABLE

    def test_spreadsheet_marks(self, small, tmp_path):
        text = as_text(TABLE).replace("\n", "\r\n")
        (tmp_path / f"{small}.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert as_columns(small, tmp_path) == TABLE

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"", "no column 'class'"),
            (b"a,b\n0,1\n", "no column 'class'"),
            (b"a,class\n0,1\n0\n", "line 3 has 1 cells, the header has 2"),
            (b"a,class\n", "no rows"),
            (b'a,class\n0,"1\n', "unexpected end of data"),
            (b"\xff\xfea,class\n", "not text in UTF-8"),
        ],
    )
    def test_malformed(self, small, tmp_path, content, problem):
        path = tmp_path / f"{small}.csv"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"{path} can't be read: .*{problem}.*Replace the"):
            load(small, data_home=tmp_path)

    @pytest.mark.parametrize("cut", ["plain", "end", "middle", "nothing"])
    def test_broken_gzip(self, small, tmp_path, cut):
        whole = gzip.compress(as_text(TABLE).encode())
        damaged = bytearray(whole)
        damaged[len(whole) // 2] ^= 0xFF
        contents = {
            "plain": as_text(TABLE).encode(),
            "end": whole[:-12],
            "middle": bytes(damaged),
            "nothing": b"",
        }
        path = tmp_path / f"{small}.csv.gz"
        path.write_bytes(contents[cut])
        with pytest.raises(ValueError, match=f"{path} can't be read: "):
            load(small, data_home=tmp_path)

    def test_fewer_rows(self, small, tmp_path):
        short = {name: cells[:-1] for name, cells in TABLE.items()}
        path = tmp_path / f"{small}.csv"
        path.write_text(as_text(short))
        with pytest.raises(
            ValueError, match=rf"{path} is not the data set .* it has 15 rows, 4 .* instead of 300"
        ):
            load(small, data_home=tmp_path)


class TestOpenML:
    def test_fetched_and_kept(self, small, tmp_path, monkeypatch):
        monkeypatch.setattr(URLOPEN, FakeOpenML(40680, TABLE, target="target"))
        assert as_columns(small, tmp_path) == TABLE
        monkeypatch.setattr(URLOPEN, offline)
        assert as_columns(small, tmp_path) == TABLE

    def test_a_file_goes_first(self, small, tmp_path, monkeypatch):
        server = FakeOpenML(40680, TABLE)
        monkeypatch.setattr(URLOPEN, server)
        (tmp_path / f"{small}.csv").write_text(as_text(TABLE))
        assert as_columns(small, tmp_path) == TABLE
        assert not server.asked

    @pytest.mark.parametrize("name", EXTERNAL)
    def test_offline_says_both_ways(self, name, tmp_path):
        with pytest.raises(FileNotFoundError) as caught:
            load(name)
        message = str(caught.value)
        for part in (
            f"'{name}' is not here",
            f"{name}.csv or {name}.csv.gz",
            "data_home=",
            "UNTIE_DATA (no folder was named)",
            f"https://www.openml.org/d/{SOURCES[name].openml_id}",
            "needs a connection",
            "URLError: <urlopen error Temporary failure in name resolution>",
        ):
            assert part in message
        assert ("make_led24" in message) == (name == "led24")
        assert isinstance(caught.value.__cause__, URLError)
        with pytest.raises(FileNotFoundError, match=f"{tmp_path} has no such file"):
            load(name, data_home=tmp_path)

    @pytest.mark.parametrize(
        "error",
        [
            TimeoutError("timed out"),
            ConnectionResetError("reset by peer"),
            IncompleteRead(b""),
            ValueError("md5 checksum does not match"),
            ImportError("requires pandas"),
            PermissionError("read-only folder"),
        ],
    )
    def test_other_failures(self, small, monkeypatch, error):
        def fetch_openml(**options):
            raise error

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
        with pytest.raises(FileNotFoundError, match=type(error).__name__) as caught:
            load(small)
        assert caught.value.__cause__ is error

    def test_unknown_to_openml(self, small, monkeypatch):
        monkeypatch.setattr(URLOPEN, FakeOpenML(1, TABLE))
        with pytest.raises(FileNotFoundError, match="OpenMLError: Dataset with data_id 40680"):
            load(small)

    def test_other_contents_are_refused(self, small, monkeypatch):
        wider = TABLE | {"b4": TABLE["b3"]}
        monkeypatch.setattr(URLOPEN, FakeOpenML(40680, wider))
        with pytest.raises(
            ValueError, match=r"OpenML's .*/d/40680 is not the .* 16 rows, 5 attributes"
        ):
            load(small)

    def test_same_figures_and_other_cells(self, monkeypatch):
        monkeypatch.setitem(SOURCES, "threeof9", External(9, fingerprint(TABLE)))
        columns = {f"F{i}": ["0", "1"] * 256 for i in range(9)} | {"class": ["0", "1"] * 256}
        monkeypatch.setattr(URLOPEN, FakeOpenML(9, columns))
        with pytest.raises(ValueError, match="but other cells"):
            load("threeof9")


class TestParts:
    @pytest.mark.parametrize("training_first", [True, False])
    def test_training_part_at_either_end(self, monkeypatch, training_first):
        rest = {name: ["1", "0", "1"] for name in TABLE}
        parts = [TABLE, rest] if training_first else [rest, TABLE]
        both = {name: [cell for part in parts for cell in part[name]] for name in TABLE}
        monkeypatch.setitem(SOURCES, "mofn3710", External(40680, fingerprint(TABLE), n_rows=16))
        monkeypatch.setattr(URLOPEN, FakeOpenML(40680, both))
        assert as_columns("mofn3710", None) == TABLE

    def test_shuffled_rows_are_refused(self, monkeypatch):
        both = {name: cells * 2 for name, cells in TABLE.items()}
        order = np.random.default_rng(0).permutation(32)
        shuffled = {name: [cells[i] for i in order] for name, cells in both.items()}
        monkeypatch.setitem(SOURCES, "mofn3710", External(40680, fingerprint(TABLE), n_rows=16))
        monkeypatch.setattr(URLOPEN, FakeOpenML(40680, shuffled))
        with pytest.raises(ValueError, match="it has 32 rows"):
            load("mofn3710")

    def test_codes_are_spelled_out(self, monkeypatch, tmp_path):
        words = {"a": ["b", "o", "x"], "class": ["win", "loss", "win"]}
        codes = {"a": ["0", "1", "2"], "class": ["1", "0", "1"]}
        source = External(
            3,
            fingerprint(words),
            spelling={"0": "b", "1": "o", "2": "x"},
            label_spelling={"0": "loss", "1": "win"},
        )
        monkeypatch.setitem(SOURCES, "connect4", source)
        for columns in (words, codes):
            monkeypatch.setattr(URLOPEN, FakeOpenML(3, columns))
            assert as_columns("connect4", tmp_path / columns["a"][0]) == words


class TestFingerprint:
    def test_orders_and_names_do_not_matter(self):
        rows = [TABLE[name][::-1] for name in TABLE]
        turned = dict(zip(["p", "q", "r", "s", "class"], rows, strict=True))
        assert fingerprint(dict(reversed(turned.items()))) == fingerprint(TABLE)

    def test_cells_and_the_label_do(self):
        changed = TABLE | {"b0": ["1", *TABLE["b0"][1:]]}
        swapped = TABLE | {"b0": TABLE["class"], "class": TABLE["b0"]}
        renamed = TABLE | {"b0": ["u" if cell == "0" else "v" for cell in TABLE["b0"]]}
        different = {fingerprint(t) for t in (TABLE, changed, swapped, renamed)}
        assert len(different) == 4


def test_no_other_set_needs_a_file_or_a_connection():
    for name in sorted(set(names()) - set(EXTERNAL)):
        load(name)
