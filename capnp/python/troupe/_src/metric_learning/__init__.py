"""Losses of embeddings, by their distances."""
