"""What is declared to be off the protocol is what the encoder does, on every data set."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

from external_data import external_file
from untie import UNTIE
from untie_paper import goodness, kernels, maps, outliers, regression
from untie_paper.clustering_scores import printed_scores
from untie_paper.data import SETS
from untie_paper.datasets import load
from untie_paper.fitted import fit_encoder
from untie_paper.methods import PAPER
from untie_paper.off_protocol import (
    LEVEL,
    footnotes,
    including,
    sets_off,
    single_cluster_score,
    why_off,
)

NO_GRADIENT, ALL_ALIKE = "there is no gradient", "tell no two values apart:"


def table_of(name):
    """Return a data set, or skip the test where its file is not there."""
    try:
        return load(name)
    except FileNotFoundError:
        external_file(name)
        raise


def warned(table, n_classes):
    """Return what the printed protocol says of a table; one step is enough to know."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        UNTIE.from_paper(n_classes, max_iter=1, random_state=0).fit(table)
    return " ".join(str(one.message) for one in caught)


@pytest.mark.parametrize("name", [*SETS, "lymphography"])
def test_declared_is_what_the_encoder_does(name):
    table, y = table_of(name)
    said, why = warned(table, y.nunique()), why_off(name) or ""
    assert (NO_GRADIENT in said) == ("there is no gradient" in why)
    assert (ALL_ALIKE in said) == ("one-hot vectors" in why)


def test_one_hot_vectors_stand_in_where_all_is_level():
    for name in LEVEL:
        table, y = table_of(name)
        distances = [
            pdist(fit_encoder(method, table, y.nunique(), seed=0).transform(table))
            for method in (PAPER, "One-hot")
        ]
        np.testing.assert_allclose(*(one / one.max() for one in distances))


def test_one_cluster_scores_what_is_printed_where_all_is_level():
    for name in LEVEL:
        table_of(name)
        assert single_cluster_score(name) == pytest.approx(
            printed_scores().loc[name, PAPER], abs=0.005
        )


def test_a_part_of_the_rows_is_not_level():
    for name in LEVEL:
        table, y = table_of(name)
        assert ALL_ALIKE not in warned(table.iloc[:-50], y.nunique())
        assert why_off(name, is_whole=False) is None


def test_classes_are_counted_against_the_batch(monkeypatch):
    assert sets_off(SETS) == ["audiology", "primarytumor", "threeof9"]
    assert "rows in a batch (20), or more" in why_off("audiology")
    paper = UNTIE.from_paper
    monkeypatch.setattr(UNTIE, "from_paper", lambda k: paper(k, batch_size=22))
    assert sets_off(SETS) == ["audiology", "threeof9"]


def test_experiments_on_few_sets_have_none_that_is_off():
    few = {*kernels.SETS, *goodness.DATASETS, *outliers.DATASETS, maps.DATASET}
    assert not sets_off(few | {target.dataset for target in regression.TARGETS})


def test_footnotes_are_on_cells_that_have_a_figure():
    frame = pd.DataFrame(
        {PAPER: [1.0, float("nan"), 2.0, 3.0], "CDE": 1.0},
        index=["audiology", "threeof9", "zoo", "mean"],
    )
    assert list(footnotes(frame)) == [("audiology", PAPER)]
    assert list(footnotes(frame, ["CDE", "Rough"])) == [("audiology", "CDE"), ("threeof9", "CDE")]
    assert list(footnotes(frame, ["CDE"], is_whole=False)) == [("audiology", "CDE")]


def test_means_over_sets_of_the_protocol_need_no_footnote():
    assert including(["zoo", "crx"]) == ""
    assert "on threeof9, which it includes" in including(["threeof9"], "it")
