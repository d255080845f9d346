"""Checks of dtypes and shapes."""
