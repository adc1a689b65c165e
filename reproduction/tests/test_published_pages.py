"""What the texts say of the last full run, beside its pages."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from untie_paper.off_protocol import sets_off

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "evidence" / "reproduction"
README = (PAGES / "README.md").read_text(encoding="utf-8")
METHOD = (DOCS / "how_it_works" / "method.md").read_text(encoding="utf-8")


def table(path, **options):
    return pd.read_csv(PAGES / f"{path}.csv", **options)


def said(pattern, text=README):
    """Return the numbers that a sentence has in the places of its groups."""
    found = re.search(pattern.replace(" ", r"\s+"), text)
    assert found, pattern
    return [float(number.replace(",", "")) for number in found.groups()]


def test_the_run():
    record = json.loads((PAGES / "provenance.json").read_text(encoding="utf-8"))
    assert record["cells"]["failed"] == 0
    (commit,) = record["commits_of_cells"]
    assert said(r"All ([\d,]+) cells at commit") == [record["commits_of_cells"][commit]]
    assert f"at commit `{commit[:7]}`" in README
    assert f"at `{record['commit'][:7]}`" in README


def test_untie_and_the_default():
    ranks = table("clustering/clustering_ranks", index_col=0)
    printed = table("clustering/clustering_ranks_published", index_col=0)
    means = [c for c in ranks if c.startswith("mean F")]
    assert said(r"Mean F ([\d.]+), printed ([\d.]+); without") == [
        round(frame.loc["UNTIE", means[0]], 1) for frame in (ranks, printed)
    ]
    assert said(r"three sets above ([\d.]+), printed ([\d.]+)\.") == [
        round(frame.loc["UNTIE", means[1]], 1) for frame in (ranks, printed)
    ]
    all_ranks = ranks["rank among all"]
    assert said(r"measured columns \(([\d.]+);") == [round(all_ranks["UNTIE (default)"], 2)]
    assert all_ranks.idxmin() == "UNTIE (default)"
    assert said(r"has a mean F of ([\d.]+) with 20") == [
        round(ranks.loc["UNTIE (default)", means[0]], 1)
    ]


def test_agreement_of_the_defined_methods():
    agreement = table("clustering/clustering_agreement", index_col=0)
    seven = ["Couplings", "CDE", "COS", "Ahmad", "DILCA", "Rough", "Hamming"]
    sums = agreement.loc[seven].sum()
    sentence = r"Of (\d+) cells of Couplings.*, (\d+) are within 0.5 and (\d+) within 2; with one"
    assert said(sentence + r" seed or another, (\d+) are") == [
        sums[name] for name in ("cells", "within 0.5", "within 2", "a seed within 0.5")
    ]
    untie = agreement.loc["UNTIE, off-protocol sets left out"]
    assert said(r"Of these (\d+) cells (\d+) agree within 0.5 and (\d+) within 2") == [
        untie[name] for name in ("cells", "within 0.5", "within 2")
    ]


def test_readings():
    readings = table("readings/readings", index_col=[0, 1])
    own = readings[readings["is"] == "a reading"]["mean F"]
    assert said(r"has (\d+) combinations of these and (\d+) comparisons") == [
        len(own),
        len(readings) - len(own),
    ]
    assert said(r"they have ([\d.]+) to ([\d.]+)") == [round(own.min(), 1), round(own.max(), 1)]
    assert own.idxmax() == ("joint", "500 steps")
    assert said(r"\(joint, 20 pairs\) have (\d+\.\d)") == [
        round(own["joint", "batch of 40 (20 pairs)"], 1)
    ]
    gaps = readings["mean difference"].unstack("couplings")
    nearer = (gaps["joint"] < gaps["separate"]).sum()
    assert said(r"nearer in (\d+) of (\d+) pairs") == [nearer, len(gaps)]
    met = table("readings/readings_sets", index_col=0)["readings that meet it"] > 0
    assert said(r"together meet (\d+) of (\d+) printed") == [met.sum(), len(met)]
    named = re.search(r"no reading explains (.*?), whose", README, re.DOTALL)[1]
    unmet = set(met.index[~met]) - set(sets_off(met.index))
    assert set(re.split(r",\s+|\s+and\s+", named)) == unmet


def test_long_runs_and_memory_in_the_method():
    runs = table("convergence/long_runs", index_col=0)
    alive = [int(number) for text in runs["alive"] for number in re.findall(r"\d+", str(text))]
    assert said(r"steps\* .*: (\d+) to (\d+) columns have weight", METHOD) == [
        min(alive),
        max(alive),
    ]
    assert said(r"rate, (\d+) to (\d+) columns have weight") == [min(alive), max(alive)]
    assert (runs["dimensions"].astype(str) == runs["n_c"].astype(str)).all()
    memory = table("complexity/memory", index_col=0)["measured"]
    learning = memory[memory.index.str.startswith("learning, printed protocol")]
    by = {name: learning[learning.index.str.contains(name)].iloc[0] for name in ("n_o,", "n_b,")}
    values = learning[learning.index.str.contains("n_mv")].iloc[0]
    sentence = (
        r"grows with the objects to the power ([\d.]+), with those of a batch .*? to ([\d.]+)"
    )
    assert said(sentence, METHOD) == pytest.approx([by["n_o,"], by["n_b,"]], abs=0.006)
    assert said(r"values of an attribute it grows to ([\d.]+)", METHOD) == pytest.approx(
        [values], abs=0.006
    )
