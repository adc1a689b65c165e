"""Spark's fork server of Python workers, with the package loaded before they are forked.

A worker that fails is replaced, and the tests make many fail.
"""

from pyspark.daemon import manager

import untie  # noqa: F401

if __name__ == "__main__":
    manager()
