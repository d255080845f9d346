"""Gradient boosted trees: ensembles in containers, how they grow, and the models of them."""
