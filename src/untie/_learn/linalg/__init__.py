"""Eigenvectors and spectra that are the same on every CPU."""
