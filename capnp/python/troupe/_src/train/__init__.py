"""Gradients, optimizers, checkpoints, monitored sessions and their hooks."""
