"""Transformations of samples that have inverses."""
