"""Counts -> couplings -> kernels or trees -> spaces -> weights -> vectors of the values."""
