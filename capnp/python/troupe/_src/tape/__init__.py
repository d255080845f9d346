"""Gradients of what a context adds to the graph."""
