"""The ratios of the short benchmarks by commit: `make bench-quick`.

    python benchmarks/history.py measure          # runs them, one record more in history.json
    python benchmarks/history.py draw FOLDER      # a page and a picture per ratio, in a folder

Only ratios of one run are kept, as times of different machines can't be compared. A record has the
commit that was measured; measuring a commit again replaces its record. With changes that are not
committed, or on a machine that is busy with something else, nothing is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
STORE = HERE / "history.json"

SCRIPTS = ("shapes", "importing", "learning", "counting")
"""What takes less than five minutes together, and prints ratios; scale.py takes longer."""

VERDICT = re.compile(r"^- (?:PASS|MISS): (.+): ([\d.,e+-]+) \((<=|>=) ([\d.e+-]+)\)$", re.M)
NO_RATIO = re.compile(r"GiB|seconds|slope")
"""Other verdicts than those on ratios."""

REGRET = re.compile(r"^\| in the code +\| above 5 ms +\|(.+)\|$", re.M)
REGRET_NAME, REGRET_LIMIT, WORST = "worst time of the chosen way / fastest way", 1.5, 3
"""What the table at the end of counting.py says of the constants in the code, and in which cell."""

MOST_LOAD = 1.0
"""How many processes may have wanted each core in the minute before the start, on average."""

MOST_NAMES = 25
"""How many commits have their name below a picture; more could not be read."""

Ratio = dict[str, Any]
"""`value`, and what it must keep to: `sign` and `limit`."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("measure")
    commands.add_parser("draw").add_argument("folder", type=Path)
    options = parser.parse_args()
    if options.command == "measure":
        measure()
    else:
        draw(options.folder)


def measure() -> None:
    """Run the benchmarks and add a record."""
    commit = git("rev-parse", "--short=12", "HEAD")
    ratios: dict[str, Ratio] = {}
    load = os.getloadavg()[0] / (os.cpu_count() or 1)  # before there is any of our own
    start = time.monotonic()
    for script in SCRIPTS:
        call = [sys.executable, HERE / f"{script}.py", "--quick"]
        done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
        found = {f"{script}: {name}": ratio for name, ratio in read(done.stdout)}
        for name, ratio in found.items():
            print(f"{ratio['value']:8.3g} ({ratio['sign']} {ratio['limit']:g})  {name}", flush=True)
        ratios |= found
    print(f"{len(ratios)} ratios in {time.monotonic() - start:.0f} s.")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "src", "benchmarks/*.py")
    if reason := why_not_keep(changed, load):
        print(f"Nothing was kept: {reason}")
        return
    record = {
        "commit": commit,
        "committed": git("show", "-s", "--format=%cI", commit),
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": ".".join(map(str, sys.version_info[:3])),
        "ratios": ratios,
    }
    keep(record)


def why_not_keep(changed: str, load: float) -> str:
    """Return why a measurement should not stand in the history; nothing if it should."""
    if changed:
        return "there are changes that are not committed."
    if load > MOST_LOAD:
        return (
            f"before the start {load:.1f} processes wanted each core, and what uses many threads "
            "then takes many times as long as what uses one. Measure again on a quiet machine."
        )
    return ""


def read(printed: str) -> Iterator[tuple[str, Ratio]]:
    """Yield the ratios that a benchmark printed, by their names."""
    for name, value, sign, limit in VERDICT.findall(printed):
        if not NO_RATIO.search(name):
            number = float(value.replace(",", ""))
            yield name, {"value": number, "sign": sign, "limit": float(limit)}
    for cells in REGRET.findall(printed):
        worst = float(cells.split("|")[WORST])
        yield REGRET_NAME, {"value": worst, "sign": "<=", "limit": REGRET_LIMIT}


def keep(record: Mapping[str, Any], store: Path = STORE) -> None:
    """Add a record, in the place of one of the same commit."""
    records = [r for r in load(store) if r["commit"] != record["commit"]]
    store.write_text(json.dumps([*records, record], indent=1) + "\n", encoding="utf-8")


def load(store: Path = STORE) -> list[dict[str, Any]]:
    """Return the records in the order of the commits' dates."""
    records = json.loads(store.read_text(encoding="utf-8")) if store.exists() else []
    return sorted(records, key=lambda record: datetime.fromisoformat(record["committed"]))


def git(*arguments: str) -> str:
    """Return what git prints."""
    call = ["git", "-C", str(HERE.parent), *arguments]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()


def draw(folder: Path, store: Path = STORE) -> None:
    """Write `benchmark_history.md` and a picture per ratio of the newest record."""
    records = load(store)
    if not records:
        sys.exit("There is no record yet: make bench-quick")
    folder.mkdir(parents=True, exist_ok=True)
    newest = records[-1]
    lines = ["# Ratios by commit", "", _introduction(records), ""]
    lines += ["| ratio | newest | target | kept |", "|---|---|---|---|"]
    for name, ratio in newest["ratios"].items():
        kept = "yes" if is_kept(ratio) else "no"
        lines.append(f"| {name} | {ratio['value']:.3g} | {_target(ratio)} | {kept} |")
    for name, ratio in newest["ratios"].items():
        picture = f"{slug(name)}.svg"
        points = [(r["commit"], r["ratios"][name]["value"]) for r in records if name in r["ratios"]]
        _draw_one(points, ratio, folder / picture)
        said = f"{name}, at {_commits(points)}; newest {ratio['value']:.3g}"
        lines += ["", f"## {name}", "", f"![{said}]({picture})"]
    (folder / "benchmark_history.md").write_text("\n".join(lines) + "\n")


def is_kept(ratio: Ratio) -> bool:
    """Tell whether a ratio keeps to its target."""
    if ratio["sign"] == "<=":
        return bool(ratio["value"] <= ratio["limit"])
    return bool(ratio["value"] >= ratio["limit"])


def slug(name: str) -> str:
    """Return a name for a file.

    Examples
    --------
    >>> slug("shapes: 10000x10x3: default / (one-hot + SVD)")
    'shapes_10000x10x3_default_one_hot_svd'
    """
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _introduction(records: Sequence[Mapping[str, Any]]) -> str:
    newest = records[-1]
    return (
        f"What `make bench-quick` measured at {_commits(records)}, the newest "
        f"`{newest['commit']}` of {newest['committed'][:10]}. Both times of a ratio are of one "
        "run, so that a machine and its load matter less than for times; small differences still "
        "mean nothing. The name before the colon is that of the script in `benchmarks/`. The "
        "dashed line is the target, and commits stand from the oldest to the newest."
    )


def _commits(things: Sequence[object]) -> str:
    return f"{len(things)} commit{'s' * (len(things) > 1)}"


def _target(ratio: Ratio) -> str:
    return f"{'at most' if ratio['sign'] == '<=' else 'at least'} {ratio['limit']:g}"


def _draw_one(points: list[tuple[str, float]], ratio: Ratio, path: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    values = [value for _, value in points]
    named = range(len(points) - 1, -1, -(1 + (len(points) - 1) // MOST_NAMES))  # the newest, too
    with matplotlib.rc_context({"svg.hashsalt": "untie", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7.0, 2.2), layout="constrained")
        axes = figure.subplots()
        axes.axhline(ratio["limit"], linestyle="--", color="0.5")
        axes.plot(range(len(points)), values, marker="o")
        labels = [points[place][0][:7] for place in named]
        axes.set_xticks(named, labels, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_ylim(0, 1.15 * max(ratio["limit"], *values))  # no line on the frame
        axes.set_ylabel("ratio")
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
