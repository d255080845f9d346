"""Ragged tensors: rows of different lengths."""
