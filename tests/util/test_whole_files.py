import os

import pytest

from untie._util.whole_files import whole_file


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


def test_a_folder_can_be_made(tmp_path):
    path = tmp_path / "new" / "folders" / "a.txt"
    with whole_file(path, make_folders=True) as temporary:
        temporary.write_text("whole")
    assert path.read_text() == "whole"


def test_bad_paths(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"), whole_file(tmp_path):
        pass
    with pytest.raises(FileNotFoundError, match="does not exist"), whole_file(tmp_path / "a" / "b"):
        pass
