"""The framework as a figure, with the numbers of the paper's toy table in it.

Table, coupling spaces, kernel spaces, heterogeneity learning, representation. All numbers in the
boxes are computed by the package: for the value yellow of the watermelons' color, for one Gaussian
kernel, and for the exact solver with two clusters and tau = 1, where weights differ enough to see.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from untie import UNTIE, Gaussian, Pairs
from untie_paper.baselines import Couplings
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import FONT_SIZE, INK, PAGE_WIDTH, PHONE_WIDTH, is_narrow
from untie_paper.run.experiment import Cell, Effort, Experiment, Job, Results
from untie_paper.stages import build_couplings, learn_weights, unexplained_share

COLUMNS = ("Texture", "Color", "Root Shape")
MELONS = (
    ("clear", "white", "straight"),
    ("blurry", "yellow", "straight"),
    ("blurry", "yellow", "curled"),
    ("clear", "green", "slightly curled"),
    ("blurry", "green", "curled"),
    ("clear", "black", "slightly curled"),
)
"""The paper's toy table, A1 to A6, without the sweetness."""

COLOR, YELLOW = 1, "yellow"
N_CLUSTERS, TAU, WIDTH = 2, 1.0, 1.0
KERNEL = "linear kernel of yellow with itself, inter"
PRINTED = {
    "p(yellow)": 1 / 3,
    "p(yellow | clear)": 0.0,
    "p(yellow | blurry)": 2 / 3,
    "p(yellow | straight)": 1 / 2,
    "p(yellow | curled)": 1 / 2,
    "p(yellow | slightly curled)": 0.0,
    KERNEL: 17 / 18,
}
"""What the paper computes of this table."""

BOXES = {
    "table": ("1  Table", 0.03, 2.1, 2.22, 1.5),
    "couplings": ("2  Coupling spaces", 2.49, 2.1, 2.22, 1.5),
    "kernels": ("3  Kernel spaces", 4.95, 2.1, 2.22, 1.5),
    "learning": ("4  Heterogeneity learning", 4.07, 0.05, 3.1, 1.65),
    "representation": ("5  Representation", 0.53, 0.05, 3.1, 1.65),
}
"""Title, left, bottom, width and height of each stage, in inches."""

ARROWS = {
    ("table", "couplings"): (2.25, 2.85, 2.49, 2.85),
    ("couplings", "kernels"): (4.71, 2.85, 4.95, 2.85),
    ("kernels", "learning"): (6.05, 2.1, 6.05, 1.7),
    ("learning", "representation"): (4.07, 0.87, 3.63, 0.87),
}
"""Where each arrow begins and ends, in inches."""

HEIGHT, SMALL = 3.65, 6.8
SMALL_ON_PHONES, SPACING, GAP = 7.5, 1.35, 0.25
"""Points of the letters, their lines' distance, and inches between the boxes on a phone."""


def toy_cell(tau: float, width: float, n_clusters: int) -> Cell:
    """Return what each stage makes of the toy table."""
    import pandas as pd

    table = pd.DataFrame(MELONS, columns=COLUMNS)
    encoder = UNTIE(n_clusters, solver="exact", tau=tau)
    problem = build_couplings(encoder, table)
    omega = learn_weights(encoder, problem).omega
    encoder.fit(table)
    names = [encoder.vocabulary_.labels(number) for number in range(len(COLUMNS))]
    coupled = Couplings().fit(table).value_vectors()
    colors = coupled[coupled["column"] == COLUMNS[COLOR]].filter(like=f"{COLUMNS[COLOR]}|")
    share, vectors = colors.iloc[:, 0], colors.iloc[:, 1:].to_numpy()
    means = encoder.weights().groupby(["column", "coupling"], sort=False)["omega"].mean()
    return {
        "values": names[COLOR],
        "others": [value for number in (0, 2) for value in names[number]],
        "intra": share.tolist(),
        "inter": vectors.tolist(),
        "kernel": Gaussian(width)(Pairs(vectors)).tolist(),
        "n_coordinates": problem.n_coordinates,
        "n_spaces": problem.n_spaces,
        "weights": {f"{attribute}, {coupling}": w for (attribute, coupling), w in means.items()},
        "share_before": unexplained_share(problem, np.ones_like(omega), centred=True),
        "share_after": unexplained_share(problem, omega, centred=True),
        "similarity": encoder.similarity(table).tolist(),
        "n_columns": int(encoder.transform(table).shape[1]),
    }


def jobs(effort: Effort) -> list[Job]:
    """Return the one cell; it is as quick as a quick run."""
    return [Job(toy_cell, {"tau": TAU, "width": WIDTH, "n_clusters": N_CLUSTERS}, 0.2)]


def box_texts(cell: dict[str, Any]) -> dict[str, str]:
    """Return what is written in each box, from the numbers of the cell."""
    row = cell["values"].index(YELLOW)
    rows = [f"A{n + 1} {a:<7}{b:<7}{c}" for n, (a, b, c) in enumerate(MELONS)]
    conditional = [
        f"  p(yellow | {other}) = {share:.2f}"
        for other, share in zip(cell["others"], cell["inter"][row], strict=True)
    ]
    weights = cell["weights"]
    learned = [
        f"  {name:<11}{weights[f'{name}, intra']:8.2f}{weights[f'{name}, inter']:8.2f}"
        for name in COLUMNS
    ]
    spaces = cell["n_spaces"]
    return {
        "table": "\n".join(["   texture color  root shape", *rows]),
        "couplings": "\n".join(
            [
                "intra, how frequent:",
                f"  p(yellow) = {cell['intra'][row]:.2f}",
                "inter, with what:",
                *conditional,
            ]
        ),
        "kernels": "\n".join(
            [
                f"{spaces} an attribute: 2 couplings x {spaces // 2}",
                "exp(-distance^2), inter, color:",
                *_matrix(cell["values"], cell["kernel"]),
                f"{cell['n_coordinates']} columns in all",
            ]
        ),
        "learning": "\n".join(
            [
                f"exact solver: minimise over H and omega (tau {TAU:g})",
                "  sum p_d c_d/t_d  +  tau sum p_d log(p_d/p0_d)",
                "c_d/t_d: share of column d not explained by H",
                "p_d: weight, omega_d t_d / sum t (p0: omega = 1)",
                "mean omega     intra   inter",
                *learned,
                f"unexplained: {100 * cell['share_before']:.1f} % at omega = 1, "
                f"{100 * cell['share_after']:.1f} % learned",
            ]
        ),
        "representation": "\n".join(
            [
                f"X: 6 objects x {cell['n_columns']} columns, S = X X':",
                *_matrix([f"A{n + 1}" for n in range(6)], cell["similarity"], ".1f"),
            ]
        ),
    }


def _matrix(names: list[str], matrix: list[list[float]], digits: str = ".2f") -> list[str]:
    width = max(map(len, names)) + 1
    return [
        f"{name:<{width}}" + " ".join(f"{value:>5{digits}}" for value in line)
        for name, line in zip(names, matrix, strict=True)
    ]


def worked_example(cell: dict[str, Any]) -> dict[str, float]:
    """Return the numbers of yellow that the paper computes, by its names."""
    row = cell["values"].index(YELLOW)
    inter_row = np.asarray(cell["inter"][row])
    shares = dict(zip(cell["others"], inter_row.tolist(), strict=True))
    couplings = {f"p(yellow | {value})": share for value, share in shares.items()}
    found = {"p(yellow)": cell["intra"][row], **couplings, KERNEL: float(inter_row @ inter_row)}
    return {name: found[name] for name in PRINTED}


def framework_data(cell: dict[str, Any]) -> Any:
    """Return a line for each stage and each arrow: names, text and places."""
    import pandas as pd

    texts = box_texts(cell)
    lines = [
        ("stage", name, title, texts[name], x, y, x + width, y + height)
        for name, (title, x, y, width, height) in BOXES.items()
    ]
    lines += [
        ("arrow", f"{start} -> {end}", "", "", *place) for (start, end), place in ARROWS.items()
    ]
    return pd.DataFrame(
        lines, columns=["kind", "name", "title", "text", "x", "y", "x_end", "y_end"]
    )


def _stacked(data: Any) -> tuple[Any, float]:
    """Return the data with the stages one below another, as wide as a phone, and the height."""
    frame, bottom = data.copy(), 0.05
    places = ["x", "y", "x_end", "y_end"]
    middle = PHONE_WIDTH / 2
    for line in reversed(frame.index[frame["kind"] == "stage"]):
        n_lines = frame.loc[line, "text"].count("\n") + 1
        top = bottom + 0.4 + n_lines * SMALL_ON_PHONES * SPACING / 72
        frame.loc[line, places] = 0.03, bottom, PHONE_WIDTH - 0.03, top
        bottom = top + GAP
    tops = frame.loc[frame["kind"] == "stage", "y_end"].iloc[1:]
    for line, top in zip(frame.index[frame["kind"] == "arrow"], tops, strict=True):
        frame.loc[line, places] = middle, top + GAP, middle, top
    return frame, bottom - GAP + 0.05


def draw(data: Any) -> Any:
    """Draw the stages as boxes and what leads from one to the next as arrows."""
    from matplotlib.figure import Figure as Canvas
    from matplotlib.patches import FancyBboxPatch

    width, height, small = PAGE_WIDTH, HEIGHT, SMALL
    if is_narrow():
        (data, height), width, small = _stacked(data), PHONE_WIDTH, SMALL_ON_PHONES
    canvas = Canvas(figsize=(width, height))
    axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    for line in data[data["kind"] == "stage"].to_dict("records"):
        x, y = line["x"], line["y"]
        size = (line["x_end"] - x, line["y_end"] - y)
        style: dict[str, Any] = {
            "boxstyle": "round,pad=0,rounding_size=0.08",
            "fc": "#eef4fa",
            "ec": "#0072b2",
        }
        axes.add_patch(FancyBboxPatch((x, y), *size, lw=1.0, **style))
        top, left = line["y_end"] - 0.07, x + 0.08
        axes.text(left, top, line["title"], va="top", size=FONT_SIZE, weight="bold", color=INK)
        axes.text(
            left,
            top - 0.2,
            line["text"],
            va="top",
            size=small,
            family="monospace",
            color=INK,
            linespacing=SPACING,
            parse_math=False,
        )
    for line in data[data["kind"] == "arrow"].to_dict("records"):
        axes.annotate(
            "",
            (line["x_end"], line["y_end"]),
            (line["x"], line["y"]),
            arrowprops={"arrowstyle": "-|>", "color": "#d55e00", "lw": 1.8},
        )
    return canvas


def report(results: Results) -> PaperReport:
    """Return the figure and the couplings of the toy table that the paper prints."""
    import pandas as pd

    if not results.rows:
        return PaperReport(["No cell came out."])
    cell = results.rows[0]
    found = worked_example(cell)
    n_same = sum(np.isclose(found[name], value) for name, value in PRINTED.items())
    measured = pd.DataFrame({"number": found}).rename_axis("of the toy table")
    printed = pd.DataFrame({"number": PRINTED})
    finding = (
        f"Of the {len(PRINTED)} numbers that the paper computes of its toy table, {n_same} come "
        "out as printed. Learning by the exact solver with two clusters takes the unexplained "
        f"share of the variance from {100 * cell['share_before']:.1f} to "
        f"{100 * cell['share_after']:.1f} %."
    )
    return PaperReport(
        [finding],
        [
            PaperTable(
                "toy_couplings",
                "The worked example of the paper's Table 1",
                measured,
                printed,
                close=0.005,
            )
        ],
        [
            Figure(
                "framework",
                "The framework, with the numbers of the toy table (the paper's Figure 1)",
                framework_data(cell),
                draw,
                "Five boxes joined by arrows: the table, its coupling spaces, their kernel spaces, "
                "heterogeneity learning (objective and weights of the exact solver, which adds "
                "a price to the paper's kernel k-means), and the representation.",
            )
        ],
    )


EXPERIMENT = Experiment(
    "framework", "The framework (the paper's Figure 1)", jobs, report, "figures"
)
