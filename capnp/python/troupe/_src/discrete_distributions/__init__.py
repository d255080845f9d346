"""Distributions of integers, and of one-hot vectors."""
