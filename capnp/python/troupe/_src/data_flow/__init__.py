"""Accumulators, barriers and staging areas: what steps hand to each other."""
