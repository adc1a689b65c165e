"""Clusters of a Spark frame: prepared, learned and predicted where its rows are.

Needs ``pip install 'untie-learn[spark]'`` and Java 17. On a cluster, untie must be installed where
the executors run; here everything runs in this process and its children.
"""

import os
import sys

from pyspark.sql import DataFrame, SparkSession

from untie import TableClusterer
from untie.datasets import load


def cluster(frame: DataFrame, columns: list[str], n_clusters: int) -> DataFrame:
    """Return the frame with a column `cluster`; all rows stay where they are."""
    frame = frame.cache()  # it is read several times
    return TableClusterer(n_clusters).fit(frame.select(*columns)).predict(frame)


def main() -> None:
    """Group the animals of a zoo and print what kinds are in each group."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2]").appName("untie").getOrCreate()
    animals, kinds = load("zoo")
    columns = animals.columns.tolist()
    rows = [tuple(row) for row in animals.assign(kind=kinds).to_numpy(dtype=str).tolist()]
    frame = spark.createDataFrame(rows, [*columns, "kind"])
    found = cluster(frame, columns, n_clusters=7)
    found.groupBy("cluster").pivot("kind").count().orderBy("cluster").show()


if __name__ == "__main__":
    main()
