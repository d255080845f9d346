"""Functions of a graph: definitions, calls, and branches and loops of functions."""
