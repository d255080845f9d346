"""Graphs: their nodes and tensors, scopes, collections and default graph."""
