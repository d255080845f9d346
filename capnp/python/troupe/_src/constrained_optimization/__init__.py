"""Minimization under constraints, as a game between the parameters and the constraints."""
