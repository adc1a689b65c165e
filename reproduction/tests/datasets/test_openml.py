import pytest

from fake_openml import URLOPEN, FakeOpenML, offline
from untie_paper.datasets._openml import fetch

COLUMNS = {
    "word": ["mild", "?", "very good", "mild"],
    "code": ["0", "01", "1.0", "?"],
    "NA": ["NA", "nan", "null", "None"],
    "only missing": ["?", "?", "?", "?"],
    "class": ["b", "a", "a", "b"],
}


def test_through_scikit_learn(monkeypatch, tmp_path):
    server = FakeOpenML(7, COLUMNS, target="diagnosis")
    monkeypatch.setattr(URLOPEN, server)
    assert fetch(7, tmp_path) == COLUMNS
    assert len(server.asked) == 4

    monkeypatch.setattr(URLOPEN, offline)  # all is in the cache now
    assert fetch(7, str(tmp_path)) == COLUMNS
    assert any(tmp_path.rglob("*.gz"))


@pytest.mark.parametrize("data_home", [None, ""])
def test_without_a_folder_the_cache_is_scikit_learns(monkeypatch, tmp_path, data_home):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setattr(URLOPEN, FakeOpenML(7, COLUMNS))
    assert fetch(7, data_home) == COLUMNS
    assert any(tmp_path.rglob("*.gz"))
