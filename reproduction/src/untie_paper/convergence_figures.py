"""Figures of the loss curves: the loss by the step, and the objective without its scale."""

from __future__ import annotations

from typing import Any

from untie_paper.output.style import INK, common_legend, label_left, name_panel, panels
from untie_paper.run.experiment import Results

DATASETS = ["hepatitis", "housevotes", "mofn3710", "dermatology", "crx", "breastcancer"]
PRINTED_RATE, PRINTED_STEPS = 1e-3, 1000
BLOCK, SMOOTH = 10, 5
"""Steps that are averaged, and averages that make a level."""

LOOKS = {5e-4: ("#56b4e9", "--"), PRINTED_RATE: ("#0072b2", "-"), 2e-3: ("#d55e00", "-.")}
ADAM, EXACT = "Adam, as printed", "exact solver's weights"


def loss_data(results: Results) -> Any:
    """Return the curves of seed 0: data set, learning rate, step (the block's last) and loss."""
    import pandas as pd

    lines = [
        (row["dataset"], row["learning_rate"], BLOCK * (number + 1), loss)
        for row in results.rows
        if "losses" in row and row["seed"] == 0
        for number, loss in enumerate(row["losses"])
    ]
    return pd.DataFrame(lines, columns=["dataset", "learning_rate", "step", "loss"])


def share_data(results: Results) -> Any:
    """Return the unexplained shares: mean over seeds by step, and the exact solver's (step 0)."""
    import pandas as pd

    lines = []
    for row in results.rows:
        for weights, step, start in ((ADAM, row.get("n_steps"), ""), (EXACT, 0, "exact_")):
            if f"{start}share" in row:
                found = (row[f"{start}share"], row[f"{start}centred"])
                lines.append((row["dataset"], weights, step, *found))
    frame = pd.DataFrame(lines, columns=["dataset", "weights", "step", "share", "centred"])
    return frame.groupby(["dataset", "weights", "step"], sort=False, as_index=False).mean()


def draw_losses(data: Any) -> Any:
    """Draw the loss of each learning rate, and the straight line from the first loss to 0."""
    names = [name for name in DATASETS if name in set(data["dataset"])]
    figure, axes = panels(len(names), height=2.2)
    for one, name in zip(axes, names, strict=True):
        part = data[data["dataset"] == name]
        for rate, curve in part.groupby("learning_rate"):
            colour, line = LOOKS.get(rate, (INK, ":"))
            label = f"learning rate {rate:g}" + (" (printed)" if rate == PRINTED_RATE else "")
            one.plot(curve["step"], curve["loss"], color=colour, ls=line, lw=1.0, label=label)
        printed = part[part["learning_rate"] == PRINTED_RATE]
        if len(printed):
            one.plot(
                [0, 1 / PRINTED_RATE],
                [printed["loss"].iloc[:SMOOTH].mean(), 0],
                color=INK,
                lw=1.0,
                ls=":",
                label="straight line to 0 at step 1,000",
            )
        one.axvline(PRINTED_STEPS, color=INK, lw=0.6)
        one.set(xlabel="step", ylim=(0, None))
        name_panel(one, name)
    label_left(axes, "loss")
    common_legend(figure, axes, columns=2)
    return figure


def draw_shares(data: Any) -> Any:
    """Draw the unexplained share along the protocol, and that of the exact solver's weights."""
    names = [name for name in DATASETS if name in set(data["dataset"])]
    figure, axes = panels(len(names), height=2.0)
    for one, name in zip(axes, names, strict=True):
        part = data[data["dataset"] == name]
        adam, exact = (part[part["weights"] == weights] for weights in (ADAM, EXACT))
        for column, line, what in (
            ("centred", "--", "centred rows"),
            ("share", "-", "rows as they are"),
        ):
            look = {"ls": line, "lw": 1.2}
            label = f"{ADAM}: {what}"
            one.plot(
                adam["step"], 100 * adam[column], "o", color="#0072b2", ms=3, label=label, **look
            )
            for share in exact[column]:
                one.axhline(100 * share, color="#d55e00", label=f"{EXACT}: {what}", **look)
        one.axvline(PRINTED_STEPS, color=INK, lw=0.6)
        one.set(xlabel="step", ylim=(0, None))
        name_panel(one, name)
    label_left(axes, "unexplained (%)")
    common_legend(figure, axes, columns=2)
    return figure
