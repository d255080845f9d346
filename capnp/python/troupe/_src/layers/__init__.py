"""Layers: objects and functions that make their variables and apply them."""
