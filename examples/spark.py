"""Clusters of a Spark frame: learn vectors on the executors, then Spark ML's k-means.

Needs ``pip install 'untie-learn[spark]'`` and Java 17. On a cluster, untie must be installed where
the executors run; here everything runs in this process and its children.
"""

import os
import sys

from pyspark.ml.clustering import KMeans
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import DataFrame, SparkSession

from untie import TableEncoder
from untie.datasets import load


def cluster(frame: DataFrame, columns: list[str], n_clusters: int) -> DataFrame:
    """Return the frame with a column `cluster`; all rows stay where they are."""
    # A few components instead of a column per value: Spark ML's vectors are dense.
    encoder = TableEncoder(n_clusters, preparer=None, n_components=8).fit(frame.select(*columns))
    names = encoder.get_feature_names_out().tolist()
    vectors = VectorAssembler(inputCols=names, outputCol="vector").transform(
        encoder.transform(frame)
    )
    vectors = vectors.drop(*names).cache()  # k-means reads them many times
    model = KMeans(k=n_clusters, seed=0, featuresCol="vector", predictionCol="cluster").fit(vectors)
    return model.transform(vectors)


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
