"""Iterative solvers of linear equations."""
