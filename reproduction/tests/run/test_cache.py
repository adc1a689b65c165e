import json
import os
import threading
import time

import pytest

from untie_paper.run.cache import CellCache, StoredCell
from untie_paper.run.keys import Key

KEY = Key("untie_paper.some", "cell", '{"dataset": "zoo", "seed": 1}', "abc")
CELL = StoredCell({"f": 0.5, "list": [1, 2]}, 1.5, "2026-01-01T00:00:00", None, {"numpy": "2"})


@pytest.fixture
def notices():
    return []


@pytest.fixture
def cache(tmp_path, notices):
    return CellCache(tmp_path / "cells", notices.append)


def only_file(cache):
    (path,) = [path for path in cache.folder.rglob("*") if path.is_file()]
    return path


def test_what_is_written_is_read_and_readable(cache, notices):
    assert cache.read(KEY) is None
    cache.write(KEY, CELL)
    assert cache.read(KEY) == CELL
    assert notices == []
    content = json.loads(only_file(cache).read_text())
    assert content["function"] == "untie_paper.some.cell"
    assert content["arguments"] == {"dataset": "zoo", "seed": 1}
    assert content["fingerprint"] == "abc"
    assert content["result"]["f"] == 0.5


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"result": 3, "versions": {}}', b'{"result": {}}'],
)
def test_damaged_cells_are_missing_with_a_notice(cache, notices, damage):
    cache.write(KEY, CELL)
    path = only_file(cache)
    path.write_bytes(damage)
    assert cache.read(KEY) is None
    assert len(notices) == 1
    assert path.name in notices[0]
    assert "\n" not in notices[0]


def test_every_truncation_is_noticed(cache, notices):
    cache.write(KEY, CELL)
    path = only_file(cache)
    whole = path.read_bytes()
    lengths = range(len(whole.rstrip()))
    for length in lengths:
        path.write_bytes(whole[:length])
        assert cache.read(KEY) is None
    assert len(notices) == len(lengths)


def test_a_folder_in_the_place_of_a_cell_is_no_crash(cache, notices):
    cache.write(KEY, CELL)
    path = only_file(cache)
    path.unlink()
    path.mkdir()
    assert cache.read(KEY) is None
    assert len(notices) == 1


def test_a_failed_write_leaves_what_was_there(cache, monkeypatch):
    cache.write(KEY, CELL)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        cache.write(KEY, StoredCell({"f": 0.9}, 1.0, "", None, {}))
    assert cache.read(KEY) == CELL
    assert only_file(cache)


def test_readers_never_see_a_part_of_a_cell(cache, notices):
    cache.write(KEY, CELL)
    over = threading.Event()

    def write():
        while not over.is_set():
            cache.write(KEY, CELL)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    seen = [cache.read(KEY) for _ in range(200)]
    over.set()
    for writer in writers:
        writer.join()
    assert seen == [CELL] * 200
    assert notices == []


@pytest.mark.parametrize(("torch", "found"), [(None, True), ("2.0", True), ("1.0", False)])
def test_cells_of_another_torch_are_computed_again(cache, monkeypatch, torch, found):
    monkeypatch.setattr("untie_paper.run.cache.installed", lambda library: "2.0")
    cache.write(KEY, StoredCell({}, 1.0, "", None, {} if torch is None else {"torch": torch}))
    assert (cache.read(KEY) is not None) == found


def test_only_abandoned_unfinished_files_are_swept(cache):
    cache.write(KEY, CELL)
    folder = only_file(cache).parent
    old, new = folder / ".a.json-1", folder / ".b.json-2"
    for path in (old, new):
        path.touch()
    os.utime(old, (time.time() - 7200,) * 2)
    cache.sweep()
    assert not old.exists()
    assert new.exists()
    assert cache.read(KEY) == CELL
