"""Graphs that are saved with their variables, to be served."""
