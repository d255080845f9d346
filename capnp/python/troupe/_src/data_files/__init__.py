"""Datasets of the batches of a training, which read files of records."""
