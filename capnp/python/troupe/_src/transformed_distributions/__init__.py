"""Distributions of transformed samples, and of samples that depend on more than parameters."""
