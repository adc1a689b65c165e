"""Ranks, tests and the diagram, on the printed scores and on made ones."""

import pandas as pd
import pytest

from untie_paper.clustering_scores import DELTA, printed_scores, with_delta
from untie_paper.evaluation import published
from untie_paper.output.style import for_phones
from untie_paper.ranks import (
    complete,
    delta,
    diagram,
    mean_ranks,
    printed_statistics,
    statistics,
    worse_than,
)


def test_printed_ranks_are_those_of_the_printed_scores() -> None:
    expected = published("clustering_ranks").set_index("method")["average_rank"]
    assert mean_ranks(printed_scores()).round(2).to_dict() == expected.to_dict()


def test_printed_statistics_are_those_of_the_printed_scores() -> None:
    computed, printed = statistics(printed_scores()), printed_statistics()
    assert set(printed) <= set(computed)
    assert computed["its p"] == printed["its p"]
    for name in set(printed) - {"its p"}:
        assert computed[name] == pytest.approx(printed[name], abs=0.005)


def test_every_printed_delta_follows_from_the_printed_scores() -> None:
    expected = published("clustering").set_index("dataset")["delta"]
    assert with_delta(printed_scores())[DELTA].round(2).tolist() == expected.tolist()


def test_delta_is_missing_where_a_score_is() -> None:
    scores = pd.DataFrame({"A": [60.0, 60.0], "B": [50.0, None]})
    assert delta(scores, "A", ["B"], ["B"]).isna().tolist() == [False, True]
    assert DELTA not in with_delta(scores)


def test_only_complete_sets_are_ranked() -> None:
    scores = pd.DataFrame({"A": [3.0, 1.0], "B": [2.0, None]})
    assert len(complete(scores)) == 1
    assert mean_ranks(scores).to_dict() == {"A": 1.0, "B": 2.0}


def test_no_complete_set_has_no_ranks() -> None:
    assert mean_ranks(pd.DataFrame({"A": [None, 1.0], "B": [2.0, None]})).isna().all()


def test_who_is_worse_by_the_printed_ranks() -> None:
    # The paper names CDE, DILCA and Ahmad as not different; Couplings is not either.
    ranks = mean_ranks(printed_scores())
    expected = ["COS", "Rough", "Hamming", "BiGAN_WD", "VAE_WD"]
    assert worse_than(ranks, "UNTIE", 25) == expected


def test_diagram_holds_and_draws_the_ranks() -> None:
    ranks = pd.Series({"B": 2.5, "A": 1.2, "C": 2.3})
    figure = diagram("d", "title", ranks, n_sets=12, control="A")
    assert figure.data["method"].tolist() == ["A", "C", "B"]
    assert figure.data["mean_rank"].tolist() == [1.2, 2.3, 2.5]
    assert "A 1.20, C 2.30, B 2.50" in figure.text
    assert "critical difference: B, C." in figure.text
    drawn = [text.get_text() for text in figure.draw(figure.data).axes[0].texts]
    assert "Critical difference to A: 0.80 (alpha 0.1, 12 data sets)" in drawn
    assert "C (2.30)" in drawn


def test_on_a_phone_the_diagram_is_a_list() -> None:
    ranks = pd.Series({"UNTIE": 1.2, "CDE": 1.9, "COS": 2.9})
    figure = diagram("d", "Diagram", ranks, 12, "UNTIE")
    with for_phones():
        (axes,) = figure.draw(figure.data).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "UNTIE (1.20)",
        "CDE (1.90)",
        "COS (2.90)",
    ]
    assert [line.get_xdata()[0] for line in axes.lines] == [1.2, 1.9, 2.9]
    # Hollow: by more than the critical difference of 0.80 worse than UNTIE.
    hollow = [line.get_markerfacecolor() == "white" for line in axes.lines]
    assert hollow == [False, False, True]
