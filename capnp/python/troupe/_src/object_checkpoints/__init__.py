"""Checkpoints of objects: saved and restored by the paths of attributes, not by names."""
