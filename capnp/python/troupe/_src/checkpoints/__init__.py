"""Checkpoints: savers, what a checkpoint has, and the list of them in a folder."""
