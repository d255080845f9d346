"""Graphs rewritten so that training sees the rounding of a quantized model."""
