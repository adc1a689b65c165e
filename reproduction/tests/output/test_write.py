import dataclasses
import errno
import io
import os

import pandas as pd
import pytest

from untie_paper.output.report import PaperReport
from untie_paper.output.write import write_all


def content(folder):
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_every_file(outcome, hostile, provenance, tmp_path):
    paths = write_all([outcome, hostile], provenance, tmp_path / "new")
    names = [str(path.relative_to(tmp_path / "new")) for path in paths]
    assert names == [
        "clustering/scores.csv",
        "clustering/scores_published.csv",
        "clustering/scores.md",
        "clustering/curve.csv",
        "clustering/curve.png",
        "clustering/curve.svg",
        "hostile/words.csv",
        "hostile/words_published.csv",
        "hostile/words.md",
        "hostile/broken.csv",
        "hostile/drawn.csv",
        "hostile/drawn.png",
        "hostile/drawn.svg",
        "index.md",
        "index.html",
    ]
    assert sorted(names) == list(content(tmp_path / "new"))


def test_same_bytes_each_time(outcome, hostile, provenance, tmp_path):
    for folder in ("a", "b"):
        write_all([outcome, hostile], provenance, tmp_path / folder)
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_measured_figures_in_full(outcome, scores, tmp_path):
    write_all([outcome], {}, tmp_path)
    files = content(tmp_path)
    read = pd.read_csv(io.BytesIO(files["clustering/scores.csv"]), index_col=0)
    pd.testing.assert_frame_equal(read, scores.measured)


def test_links_of_the_index_lead_somewhere(outcome, hostile, provenance, tmp_path):
    from markdown_it import MarkdownIt

    write_all([outcome, hostile], provenance, tmp_path)
    tokens = MarkdownIt("commonmark").enable("table").parse((tmp_path / "index.md").read_text())
    parts = [part for token in tokens for part in token.children or []]
    links = [part.attrs[name] for part in parts for name in ("href", "src") if name in part.attrs]
    linked = {link for link in links if not link.startswith("#")}
    assert linked == content(tmp_path).keys() - {"index.md", "index.html"}


def test_old_image_of_a_figure_that_fails_now_is_removed(outcome, curve, tmp_path):
    write_all([outcome], {}, tmp_path)
    (tmp_path / "clustering" / "own.txt").write_text("kept")
    broken = dataclasses.replace(curve, draw=lambda data: data["z"])
    write_all([dataclasses.replace(outcome, report=PaperReport([], [], [broken]))], {}, tmp_path)
    assert "clustering/curve.png" not in content(tmp_path)
    assert content(tmp_path)["clustering/own.txt"] == b"kept"
    assert b"KeyError" in content(tmp_path)["index.html"]


def test_full_disk_keeps_the_old_page(outcome, tmp_path, monkeypatch):
    write_all([], {}, tmp_path)
    old = content(tmp_path)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        write_all([outcome], {}, tmp_path)
    assert content(tmp_path) == old


def test_files_of_the_same_name(outcome, scores, tmp_path):
    other = dataclasses.replace(scores, name="scores_published")
    clash = dataclasses.replace(outcome, report=PaperReport([], [scores, other]))
    with pytest.raises(ValueError, match=r"'clustering/scores_published.csv'"):
        write_all([clash], {}, tmp_path)
    assert os.listdir(tmp_path) == []


def test_no_outcomes(tmp_path):
    assert [path.name for path in write_all([], {}, tmp_path)] == ["index.md", "index.html"]
