"""Layers of models as functions, besides the common ones."""
