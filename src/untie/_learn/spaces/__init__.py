"""Counts -> the coordinates of values: couplings, kernels, trees, orders."""
