"""Counts -> couplings -> kernels -> spaces -> weights -> vectors of the values."""
