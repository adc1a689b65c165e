"""Codes -> counts of all pairs of values, and a sample of the rows; counts add up."""
