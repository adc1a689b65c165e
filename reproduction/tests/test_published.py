"""The benchmark of the published scores: what counts, what is only shown, and its document."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from untie_paper.evaluation import published

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def benchmark():
    path = ROOT / "benchmarks" / "published.py"
    if not path.is_file():
        pytest.skip("the benchmarks are not part of this copy")
    spec = importlib.util.spec_from_file_location("published_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(path.parent))
        spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_the_first_of_the_cheapest_counts(benchmark):
    runs = [(5.0, 90.0), (4.0, 30.0), (4.0, 80.0), (4.0 + 1e-12, 60.0), (4.0, 30.0)]
    assert benchmark.cheapest(runs) == [30.0, 80.0, 60.0]
    cell = benchmark.Cell(benchmark.cheapest(runs), [75.0])
    assert cell.cheapest == 30.0
    assert cell.nearest(74.0) == 75.0
    assert cell.nearest(80.1) == 80.0


def test_the_printed_score_chooses_no_run_of_the_table(benchmark):
    cell = benchmark.Cell([30.88], [36.0])
    assert benchmark.cheapest_text(cell, 35.38) == "30.88 (35.38)"
    assert benchmark.nearest_text(cell, 35.38) == "36.00 (35.38)"
    assert benchmark.nearest_text(cell, 36.0) == "**36.00**"
    assert benchmark.cheapest_text(benchmark.Cell([36.0]), 36.0) == "**36.00**"
    assert benchmark.nearest_text(benchmark.Cell([36.0], [36.1]), 36.0) == ""
    assert benchmark.nearest_text(benchmark.Cell([36.1], [50.0]), 36.0) == ""


def test_agreement_counts_both(benchmark, capsys):
    cells = {("zoo", "COS"): benchmark.Cell([30.0], [36.0])}
    benchmark.report_agreement("Some", cells, {("zoo", "COS"): 36.3})
    lines = [
        line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if "COS" in line
    ]
    assert [cell.strip() for cell in lines[0]] == ["COS", "1", "0", "0", "0", "0", "1", "1"]


def test_cde_has_as_many_starts_as_its_column_says(benchmark, monkeypatch):
    asked = []

    def note(X, y, n_starts, n_seeds):
        asked.append((n_starts, n_seeds))
        return benchmark.Cell([1.0])

    monkeypatch.setattr(benchmark, "cde_cell", note)
    for method in ("CDE", "CDE (10 starts)"):
        benchmark.one_cell("zoo", method, quick=False)
    assert asked == [(1, benchmark.CDE_SEEDS), (10, benchmark.CDE_SEEDS)]


def test_printed_scores_are_looked_for_among_the_seeds(benchmark, capsys):
    cells = {
        ("zoo", "CDE"): benchmark.Cell([70.0], [75.0]),
        ("crx", "CDE"): benchmark.Cell([50.0], [52.646]),
        ("zoo", "CDE (10 starts)"): benchmark.Cell([74.0], [74.5]),
    }
    printed = dict.fromkeys(cells, 73.0) | {("crx", "CDE"): 52.65}
    benchmark.report_seeds(cells, printed)
    out = capsys.readouterr().out
    assert "70.00 to 75.00" in out
    assert "CDE: the printed score is within the range on 2 of 2 sets." in out
    assert "CDE (10 starts): the printed score is within the range on 0 of 1 sets." in out


def test_finished_cells_are_kept(benchmark, tmp_path):
    path = tmp_path / "cells.jsonl"
    assert benchmark.read_cells(path) == {}
    benchmark.write_cell(path, ("zoo", "CDE"), benchmark.Cell([1.5], [2.0]))
    benchmark.write_cell(path, ("crx", "COS"), benchmark.Cell([3.0, 4.0]))
    assert benchmark.read_cells(path) == {
        ("zoo", "CDE"): benchmark.Cell([1.5], [2.0]),
        ("crx", "COS"): benchmark.Cell([3.0, 4.0], []),
    }


def tables(text):
    """Return the document's tables of cells: by heading, a dict of cells by set and column."""
    found = {}
    for heading, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE):
        lines = [line.split("|")[1:-1] for line in body.splitlines() if line.startswith("|")]
        if lines:
            names = [name.strip() for name in lines[0]]
            found[heading] = {
                (line[0].strip(), name): cell.strip()
                for line in lines[2:]
                for name, cell in zip(names[1:], line[1:], strict=True)
            }
    return found


def test_the_document_has_the_printed_scores_and_calls_equal_what_is_equal():
    paper = published("clustering").set_index("dataset")
    paper["CDE (10 starts)"] = paper["CDE"]
    found = tables((ROOT / "docs" / "evidence" / "published.md").read_text())
    shown, nearest = found["Every cell: the cheapest run"], found["Every cell: the nearest run"]
    assert len(shown) == 25 * 8
    for cells in (shown, nearest):
        for (name, method), text in cells.items():
            printed = f"{paper.loc[name, method]:.2f}"
            assert text in ("", f"**{printed}**") or text.endswith(f" ({printed})"), (name, method)
            assert text != f"{printed} ({printed})"
    for (name, method), text in nearest.items():
        if text:
            gaps = [
                abs(float(one.strip("*").split(" ")[0]) - paper.loc[name, method])
                for one in (text, shown[name, method])
            ]
            assert gaps[0] < gaps[1], (name, method)


def test_the_document_counts_what_it_shows():
    found = tables((ROOT / "docs" / "evidence" / "published.md").read_text())
    shown, counts = found["Every cell: the cheapest run"], found["All sets"]
    for method in {method for _, method in shown}:
        bold = sum(text.startswith("**") for (_, name), text in shown.items() if name == method)
        assert counts[method, "both decimals"] == str(bold), method
