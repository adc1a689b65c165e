import os

import pytest

from systems import posix
from untie._util.files import whole_file


def test_the_file_appears_at_the_end(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with whole_file(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
        assert temporary.parent == tmp_path
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_the_old_file_stands(error, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write():
        with whole_file(path) as temporary:
            temporary.write_text("half of it")
            raise error

    with pytest.raises(error):
        write()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_bad_paths(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"), whole_file(tmp_path):
        pass
    with pytest.raises(FileNotFoundError, match="does not exist"), whole_file(tmp_path / "a" / "b"):
        pass


def test_the_mode_of_the_old_file_is_kept(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o600)
    with whole_file(path) as temporary:
        assert temporary.stat().st_mode & 0o777 == 0o600  # nobody else reads it meanwhile, either
        temporary.write_text("new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_new_file_has_the_usual_mode(tmp_path):
    usual, path = tmp_path / "usual.txt", tmp_path / "a.txt"
    usual.write_text("")
    with whole_file(path) as temporary:
        temporary.write_text("new")
    assert path.stat().st_mode == usual.stat().st_mode


def test_a_link_goes_on_pointing_to_the_file(tmp_path):
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    with whole_file(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert os.listdir(tmp_path / "there") == ["real.txt"]


def test_a_link_to_nothing_makes_the_file(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    link.symlink_to(real)
    with whole_file(link) as temporary:
        temporary.write_text("new")
    assert real.read_text() == "new"


@posix
def test_devices_and_pipes_are_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", os.devnull):
        with pytest.raises(ValueError, match="a device or a pipe; name a file"), whole_file(path):
            pass
