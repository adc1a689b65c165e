"""Vectors of rows -> clusters: k-means, classification EM, radii."""
