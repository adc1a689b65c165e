"""Learn vectors for a table of mushrooms, group them, look at what was learned and write a report.

Run it with ``make demo``.
"""

from pathlib import Path

from sklearn.cluster import KMeans

from untie import UNTIE
from untie.datasets import load
from untie.report import make_report


def main() -> None:
    """Run the demo and print what it finds."""
    mushrooms, edible_or_not = load("mushroom")
    print(f"{len(mushrooms)} mushrooms, {mushrooms.shape[1]} attributes, for example:")
    print(mushrooms.iloc[:3, :6].to_string(), "\n")

    encoder = UNTIE(n_clusters=2).set_output(transform="pandas")
    vectors = encoder.fit_transform(mushrooms)
    print(f"Each row is now a vector of {vectors.shape[1]} numbers, one column per value:")
    print(vectors.iloc[:3, :5].round(3).to_string(), "\n")

    print("Two representations were tried; nats per row that their clusters tell of the table:")
    print({name: round(gain, 3) for name, gain in encoder.gains_.items()}, "\n")

    column = "habitat"
    kernels = UNTIE(n_clusters=2, solver="uniform", normalization="cosine").fit(mushrooms)
    print(f"How alike the values of {column!r} are, judged by what they occur with:")
    print(kernels.value_similarity(column).round(1).to_string(), "\n")

    clusters = KMeans(n_clusters=2, n_init=10, random_state=0).fit_predict(vectors)
    table = mushrooms.assign(cluster=clusters, label=edible_or_not)
    print("Two clusters, found without the label, against the label (e: edible, p: poisonous):")
    print(table.groupby(["cluster", "label"]).size().unstack(fill_value=0).to_string(), "\n")

    similarities = encoder.similarity(mushrooms.iloc[[0]], mushrooms.iloc[1:])[0]
    nearest = 1 + similarities.argsort()[::-1][:3]
    print("The mushrooms most like the first one:")
    print(mushrooms.iloc[nearest, :6].to_string(), "\n")

    page = Path("mushroom-report.html")
    report = make_report(mushrooms.assign(label=edible_or_not), label="label", title="Mushrooms")
    report.save(page)
    print(report.summary)
    print(f"All this and more is in {page}: open it in a browser.")


if __name__ == "__main__":
    main()
