"""Maps of dermatology by t-SNE, and how far classes are apart in the vectors themselves.

A map may show clusters that are not in the vectors and tear apart others, so it proves nothing; the
silhouette of the classes and the share of an object's ten nearest neighbours that are of its class
are taken from the vectors before they are mapped. The map is that of seed 0, with t-SNE's usual
perplexity of 30 and a start from the principal axes. A quick run leaves BiGAN_WD out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from untie_paper.datasets import load
from untie_paper.evaluation import precision_at_k
from untie_paper.fitted import fit_encoder
from untie_paper.methods import DEFAULT, PAPER
from untie_paper.output.report import Figure, PaperReport, PaperTable
from untie_paper.output.style import class_style, common_legend, name_panel, panels
from untie_paper.output.words import listing
from untie_paper.run.experiment import Cell, Effort, Experiment, Job, Results

DATASET = "dermatology"
METHODS = (PAPER, DEFAULT, "CDE", "BiGAN_WD")
SECONDS = {PAPER: 1.0, DEFAULT: 0.5, "CDE": 1.0, "BiGAN_WD": 25.0}
MAP_SECONDS = 2.0
MAPPED_SEED = 0
PERPLEXITY, N_NEIGHBOURS = 30, 10


def map_cell(
    dataset: str, method: str, seed: int, perplexity: int, n_neighbours: int, with_map: bool
) -> Cell:
    """Return how far classes are apart in a method's vectors and, if wanted, a map of them."""
    from sklearn.metrics import silhouette_score

    X, y = load(dataset)
    vectors = fit_encoder(method, X, y.nunique(), seed).transform(X)
    cell = {
        "silhouette": float(silhouette_score(vectors, y)),
        "precision": float(precision_at_k(vectors, y, n_neighbours)),
        "chance": float(np.square(y.value_counts(normalize=True)).sum()),
    }
    if not with_map:
        return cell
    points = _t_sne(vectors, perplexity)
    first, second = points.round(3).T.tolist()
    return {**cell, "first": first, "second": second, "classes": y.tolist()}


def _t_sne(vectors: Any, perplexity: int) -> Any:
    from sklearn.manifold import TSNE

    model = TSNE(perplexity=min(perplexity, len(vectors) - 1), init="pca", random_state=0)
    return model.fit_transform(vectors).astype(float)


def jobs(effort: Effort) -> list[Job]:
    """Return one job for each method and seed."""
    methods = METHODS[:-1] if effort.quick else METHODS
    return [
        Job(
            map_cell,
            {
                "dataset": DATASET,
                "method": method,
                "seed": seed,
                "perplexity": PERPLEXITY,
                "n_neighbours": N_NEIGHBOURS,
                "with_map": seed == MAPPED_SEED,
            },
            SECONDS[method] + MAP_SECONDS * (seed == MAPPED_SEED),
        )
        for method in methods
        for seed in range(effort.n_seeds)
    ]


def separation_table(results: Results) -> Any:
    """Return the mean and the spread over seeds of both measures, a line for each method."""
    import pandas as pd

    frame = results.frame()
    measures = {"silhouette": "silhouette", "precision": f"precision@{N_NEIGHBOURS}"}
    lines = {}
    for method in METHODS:
        cells = frame[frame["method"] == method] if len(frame) else frame
        if len(cells):
            line: dict[str, float] = {}
            for column, name in measures.items():
                line[name] = cells[column].mean()
                line[f"{name}, sd"] = cells[column].std(ddof=0)
            lines[method] = {**line, "seeds": len(cells)}
    table = pd.DataFrame.from_dict(lines, orient="index")
    table.index.name = "method"
    return table


def map_data(results: Results) -> Any:
    """Return the points of all maps: method, class and coordinates."""
    import pandas as pd

    drawn = {row["method"]: row for row in results.rows if "first" in row}
    parts = [
        pd.DataFrame(
            {
                "method": method,
                "class": drawn[method]["classes"],
                "x": drawn[method]["first"],
                "y": drawn[method]["second"],
            }
        )
        for method in METHODS
        if method in drawn
    ]
    columns = ["method", "class", "x", "y"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def draw_maps(data: Any) -> Any:
    """Draw a map for each method; classes have colours and symbols."""
    methods = list(data["method"].unique())
    classes = sorted(data["class"].unique())
    figure, axes = panels(len(methods), height=2.9, narrow=(2, 2.0))
    for one, method in zip(axes, methods, strict=True):
        for number, label in enumerate(classes):
            part = data[(data["method"] == method) & (data["class"] == label)]
            one.scatter(
                part["x"],
                part["y"],
                s=12,
                linewidths=0,
                label=label,
                **class_style(number),
            )
        # Distances on a map have no unit.
        one.set(xticks=[], yticks=[])
        one.spines[["top", "right"]].set_visible(True)
        name_panel(one, method)
    common_legend(figure, axes, columns=3)
    return figure


def findings(table: Any, chance: float) -> list[str]:
    """Say in which vectors classes are apart."""
    precision = f"precision@{N_NEIGHBOURS}"
    values = [
        f"{method}: silhouette {line['silhouette']:.2f}, {precision} {100 * line[precision]:.1f}"
        for method, line in table.iterrows()
    ]
    found = [
        f"In the vectors themselves, mean over seeds ({precision} by chance: "
        f"{100 * chance:.1f}): {'; '.join(values)}."
    ]
    rivals = [method for method in ("CDE", "BiGAN_WD") if method in table.index]
    for ours in (PAPER, DEFAULT):
        if ours in table.index and rivals:
            better = table.loc[ours, ["silhouette", precision]]
            wins = [r for r in rivals if (better > table.loc[r, better.index]).all()]
            found.append(
                f"{ours} has both measures above those of {listing(wins or ['no other'])} "
                f"(compared: {', '.join(rivals)}); the paper says that UNTIE's classes have "
                "clearer boundaries than theirs."
            )
    return found


def report(results: Results) -> PaperReport:
    """Return the maps, and the table that they should be read with."""
    table, data = separation_table(results), map_data(results)
    if table.empty:
        return PaperReport(["No cell came out."])
    chance = float(np.mean([row["chance"] for row in results.rows]))
    tables = [
        PaperTable(
            "separation",
            "Separation of the classes of dermatology in the vectors",
            table,
            digits=3,
            note=f"Before t-SNE. precision@{N_NEIGHBOURS}: share of an object's nearest "
            "neighbours that are of its class; sd: over the seeds of the encoder.",
        )
    ]
    figure = Figure(
        "visualize",
        "Maps of dermatology by t-SNE (the paper's Figure 7)",
        data,
        draw_maps,
        "A map for each method; a point is an object, its colour and symbol are its class.",
    )
    return PaperReport(findings(table, chance), tables, [figure] if len(data) else [])


EXPERIMENT = Experiment(
    "maps", "Maps of dermatology (the paper's Figure 7)", jobs, report, "figures"
)
