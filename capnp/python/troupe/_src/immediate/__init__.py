"""Tensors that have values at once, in functions that steps call."""
