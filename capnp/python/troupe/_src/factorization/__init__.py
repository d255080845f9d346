"""Clusters of points."""
