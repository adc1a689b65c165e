"""The stages of the pipe, each a small module that knows nothing of the ones after it.

    factorize -> table -> vocabulary, grouping -> counts -> couplings -> kernels -> spaces
    -> spectrum, weights -> vectors

Only ``factorize``, ``table`` and ``counting`` see rows; everything after them works on
arrays whose size is set by the number of distinct values.
"""
