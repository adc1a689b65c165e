import errno
import os

import pytest

from untie_paper.output.files import write_whole


def test_replaces_and_leaves_nothing_beside(tmp_path):
    path = tmp_path / "a" / "b.txt"
    write_whole(path, b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["b.txt"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_full_disk_keeps_what_was_there(tmp_path, monkeypatch, step):
    path = tmp_path / "b.txt"
    write_whole(path, b"old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match=r"No space left on device.*Make room") as caught:
        write_whole(path, b"new")
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["b.txt"]


def test_stopped_by_the_user(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "b.txt", b"new")
    assert os.listdir(tmp_path) == []


def test_folder_is_a_file(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(OSError, match="could not be written"):
        write_whole(tmp_path / "a" / "b.txt", b"new")
