"""Generators of random numbers whose state is a variable."""
