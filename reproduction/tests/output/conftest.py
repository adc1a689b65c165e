"""Outcomes with everything that can be in one: text, gaps, errors and hostile names."""

import pandas as pd
import pytest
from matplotlib.figure import Figure as Drawing

from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.run.outcome import Outcome

HOSTILE = "<script>alert('1')</script> & \"x\" | *y* [z](http://example.org)"


def line(data):
    drawing = Drawing(figsize=(3, 2))
    axes = drawing.add_subplot()
    axes.plot(data["x"], data["y"], marker="o", label="a line")
    axes.legend()
    return drawing


@pytest.fixture
def scores():
    """Five cells with a counterpart: two to the digit, one close, one near, one far."""
    measured = pd.DataFrame(
        {"UNTIE": [75.042, 60.3, 50.0], "CDE": [80.0, 31.5, float("nan")], "own": [1.0, 2.0, 3.0]},
        index=pd.Index(["zoo", "crx", "flare"], name="data set"),
    )
    published = pd.DataFrame(
        {"UNTIE": [75.04, 60.0, None], "CDE": [80.0, 30.0, 44.4], "Rough": [1.0, 2.0, 3.0]},
        index=["zoo", "crx", "flare"],
    )
    published.loc["flare", "UNTIE"] = 58.9
    return PaperTable("scores", "F-scores", measured, published, note="Twenty restarts.")


@pytest.fixture
def curve():
    data = pd.DataFrame({"x": [0, 1, 2], "y": [0.1, 1 / 3, 0.5]})
    return Figure("curve", "A curve (Figure 1)", data, line, "The curve rises from 0.1 to 0.5.")


@pytest.fixture
def outcome(scores, curve):
    report = PaperReport(["UNTIE reaches 75.0.", "p < 0.05 & more."], [scores], [curve])
    return Outcome("clustering", "Clustering", "clustering", report, 12)


@pytest.fixture
def hostile():
    frame = pd.DataFrame(
        {HOSTILE: [HOSTILE, None], "number": [1.5, float("inf")]},
        index=pd.Index([HOSTILE, "b"], name=HOSTILE),
    )
    table = PaperTable("words", HOSTILE, frame, frame.replace(HOSTILE, "other"), note=HOSTILE)

    def fail(data):
        raise ValueError(HOSTILE)

    figure = Figure("broken", HOSTILE, frame, fail, HOSTILE)
    drawn = Figure("drawn", HOSTILE, pd.DataFrame({"x": [1], "y": [HOSTILE]}), line, HOSTILE)
    report = PaperReport([HOSTILE], [table], [figure, drawn])
    failures = [{"dataset": "zoo", "method": HOSTILE, "error": HOSTILE}]
    return Outcome("hostile", HOSTILE, "beyond", report, 3, failures)


@pytest.fixture
def provenance():
    return {
        "commit": "1a2b3c",
        "settings": {"effort": "full", "seeds": [0, 1]},
        "versions": {"numpy": "2.0", "torch": None},
        "machine": HOSTILE,
    }
