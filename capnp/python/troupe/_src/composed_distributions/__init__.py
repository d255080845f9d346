"""Distributions that are made of others, and statistics of samples."""
