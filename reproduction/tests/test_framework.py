"""The numbers in the framework's boxes are those of the toy table."""

import json
from contextlib import nullcontext

import numpy as np
import pytest

from untie_paper import framework as experiment
from untie_paper.output.style import PHONE_WIDTH, for_phones
from untie_paper.run.experiment import Effort, Results


@pytest.fixture(scope="module")
def cell():
    (job,) = experiment.jobs(Effort())
    found = job.function(**job.arguments)
    return {**job.arguments, **json.loads(json.dumps(found))}


def test_couplings_are_the_papers(cell):
    assert cell["values"] == ["black", "green", "white", "yellow"]
    np.testing.assert_allclose(cell["intra"], [1 / 6, 1 / 3, 1 / 6, 1 / 3])
    assert cell["others"] == ["blurry", "clear", "curled", "slightly curled", "straight"]
    np.testing.assert_allclose(cell["inter"][3], [2 / 3, 0, 1 / 2, 0, 1 / 2])


def test_kernel_is_that_of_the_distances(cell):
    vectors = np.array(cell["inter"])
    squares = ((vectors[:, None] - vectors) ** 2).sum(axis=2)
    np.testing.assert_allclose(cell["kernel"], np.exp(-squares))


def test_learning_explains_more(cell):
    assert cell["n_coordinates"] == 252
    assert cell["share_after"] < cell["share_before"] < 1
    # Both textures are equally frequent: their intra coupling tells nothing.
    assert cell["weights"]["Texture, intra"] == 0


def test_similarity_is_symmetric_and_equal_rows_are_nearest(cell):
    similarity = np.array(cell["similarity"])
    np.testing.assert_allclose(similarity, similarity.T)
    assert similarity.shape == (6, 6)
    assert np.linalg.eigvalsh(similarity).min() > -1e-9


def test_texts_have_the_numbers(cell):
    texts = experiment.box_texts(cell)
    assert "p(yellow | curled) = 0.50" in texts["couplings"]
    assert "252 columns" in texts["kernels"]
    assert f"{cell['similarity'][0][1]:.1f}" in texts["representation"]
    assert f"{100 * cell['share_after']:.1f} % learned" in texts["learning"]


def test_data_names_stages_and_arrows(cell):
    data = experiment.framework_data(cell)
    stages = data[data["kind"] == "stage"]
    assert list(stages["name"]) == [
        "table",
        "couplings",
        "kernels",
        "learning",
        "representation",
    ]
    assert list(data.loc[data["kind"] == "arrow", "name"]) == [
        "table -> couplings",
        "couplings -> kernels",
        "kernels -> learning",
        "learning -> representation",
    ]


def test_arrows_touch_their_boxes(cell):
    data = experiment.framework_data(cell).set_index("name")
    for (start, end), (x, y, x_end, y_end) in experiment.ARROWS.items():
        for name, point in ((start, (x, y)), (end, (x_end, y_end))):
            box = data.loc[name]
            assert box["x"] - 1e-9 <= point[0] <= box["x_end"] + 1e-9
            assert box["y"] - 1e-9 <= point[1] <= box["y_end"] + 1e-9


def test_objective_is_that_of_the_solver_shown(cell):
    text = experiment.box_texts(cell)["learning"]
    assert "exact solver" in text
    assert "tau sum p_d log(p_d/p0_d)" in text
    assert "Tr(S (I - HH'))" not in text


@pytest.mark.parametrize("layout", [nullcontext, for_phones])
def test_every_text_lies_in_its_box(cell, layout):
    report = experiment.report(Results([cell]))
    with layout():
        figure = report.figures[0].draw(report.figures[0].data)
    axes = figure.axes[0]
    for box, written in zip(axes.patches, np.reshape(axes.texts[:10], (5, 2)), strict=True):
        outer = box.get_window_extent()
        for text in written:
            inner = text.get_window_extent()
            assert outer.x0 <= inner.x0 < inner.x1 <= outer.x1
            assert outer.y0 <= inner.y0 < inner.y1 <= outer.y1


def test_boxes_stand_below_each_other_on_a_phone(cell):
    with for_phones():
        figure = experiment.draw(experiment.framework_data(cell))
    figure.draw_without_rendering()
    assert figure.get_size_inches()[0] == PHONE_WIDTH
    boxes = [box.get_window_extent() for box in figure.axes[0].patches]
    arrows = [text.arrow_patch.get_window_extent() for text in figure.axes[0].texts[10:]]
    for above, arrow, below in zip(boxes, arrows, boxes[1:], strict=False):
        assert above.y0 > below.y1
        assert arrow.y1 <= above.y0 + 1
        assert arrow.y0 >= below.y1 - 1
    assert len(arrows) == 4


def test_report(cell):
    report = experiment.report(Results([cell]))
    assert "Of the 7 numbers that the paper computes of its toy table, 7 come" in report.findings[0]
    table = report.tables[0]
    assert table.measured.loc[experiment.KERNEL, "number"] == pytest.approx(17 / 18)
    assert table.measured.index.tolist() == table.published.index.tolist()
    wrong = {**cell, "inter": [[0.0] * 5] * 4}
    assert "toy table, 3 come out" in experiment.report(Results([wrong])).findings[0]
    assert not experiment.report(Results([])).figures


def test_no_two_files_have_the_same_name(cell):
    report = experiment.report(Results([cell]))
    names = [part.name for part in (*report.tables, *report.figures)]
    assert len(names) == len(set(names)) == 2
