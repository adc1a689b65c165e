"""Learn vectors for a table of skin findings, group them, look at them and write a report.

Run it with ``make demo``.
"""

from pathlib import Path

from sklearn.cluster import KMeans

from untie import TableEncoder, explain
from untie.datasets import load
from untie.report import make_report


def main() -> None:
    """Run the demo and print what it finds."""
    patients, disease = load("dermatology")
    print(f"{len(patients)} patients, {patients.shape[1]} findings graded 0 to 3, for example:")
    print(patients.iloc[:3, :6].to_string(), "\n")

    encoder = TableEncoder(n_clusters="auto").set_output(transform="pandas")
    vectors = encoder.fit_transform(patients)
    print(f"Each row is now a vector of {vectors.shape[1]} numbers, one column per value:")
    print(vectors.iloc[:3, :5].round(3).to_string(), "\n")

    print("Grades that occur with the same other findings (alikeness: 1 is the same, 0 nothing):")
    alike = explain.alike_values(encoder, n=3)
    print(alike[["column", "value", "other_value", "alikeness"]].round(2).to_string(), "\n")

    k = encoder.n_clusters_
    clusters = KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(vectors)
    table = patients.assign(cluster=clusters, disease=disease)
    print(f"{k} clusters, a number that was chosen, against the disease, which was not used:")
    print(table.groupby(["disease", "cluster"]).size().unstack(fill_value=0).to_string(), "\n")

    near = explain.neighbors(encoder, patients, 0, n=3)
    print(f"The first patient has {disease.iloc[0]}. The three most like that one have")
    print(f"{', '.join(disease.iloc[near['position']])}.\n")

    page = Path("dermatology-report.html")
    named = patients.assign(disease=disease)
    report = make_report(named, label="disease", title="dermatology")
    report.save(page)
    print(report.summary)
    print(f"All this and more is in {page}: open it in a browser.")


if __name__ == "__main__":
    main()
