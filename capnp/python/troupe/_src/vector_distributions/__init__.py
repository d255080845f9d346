"""Distributions of vectors and of matrices."""
