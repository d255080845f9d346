"""Bijectors that have layers, or functions with variables."""
