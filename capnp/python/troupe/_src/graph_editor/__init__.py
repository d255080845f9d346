"""Selects, rewires and copies parts of graphs."""
