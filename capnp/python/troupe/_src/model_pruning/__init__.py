"""Weights that training sets to zero, the smallest ones first."""
