import pytest

from external_data import external_file
from untie_paper.datasets import load, names
from untie_paper.datasets._figures import Figures, agree, measure, printed_figures

EXTERNAL = ("audiology", "connect4", "led24", "mofn3710")

# Not in the paper's table; the figures of the source.
UNPRINTED = {"lymphography": Figures(148, 18, 4, 3.28, 8)}


def slow_figures(X, y):
    """Count by going through the cells one by one."""
    sizes = []
    for column in X.columns:
        seen = []
        for cell in X[column].tolist():
            if cell not in seen:
                seen.append(cell)
        sizes.append(len(seen))
    return len(y), X.shape[1], len(set(y)), sum(sizes) / len(sizes), max(sizes)


def test_printed_table():
    table = printed_figures()
    assert list(table) == names()
    assert table["zoo"] == (101, 16, 7, 2.25, 6)
    assert table["connect4"] == (67557, 42, 3, 3.0, 3)
    assert table["lymphography"] == (None,) * 5
    assert sum(None in figures for figures in table.values()) == 1


@pytest.mark.parametrize("name", names())
def test_every_set_has_the_printed_figures(name):
    if name in EXTERNAL:
        external_file(name)
    X, y = load(name)
    *counts, n_av, n_mv = slow_figures(X, y)
    printed = UNPRINTED.get(name) or printed_figures()[name]
    assert (*counts, n_mv) == (printed.n_o, printed.n_a, printed.n_c, printed.n_mv)
    assert round(n_av, 2) == printed.n_av
    columns = X.to_dict("list") | {"class": y.tolist()}
    assert measure(columns) == (*counts, n_av, n_mv)


def test_missing_cells_are_values():
    assert measure({"a": ["?", "x", "?"], "class": ["u", "v", "u"]}) == (3, 1, 2, 2.0, 2)


def test_agreement_is_to_two_decimals():
    figures = Figures(3, 1, 2, 2.0, 2)
    assert agree(figures, figures)
    assert agree(figures._replace(n_av=2.0049), figures)
    assert not agree(figures._replace(n_av=2.01), figures)
    assert not agree(figures._replace(n_o=4), figures)
    assert agree(figures, Figures(3, 1, 2, None, None))
    assert not agree(figures._replace(n_c=None), figures)
