"""Sums of tensors of several devices, on each of them."""
