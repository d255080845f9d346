"""Metrics that only `tf.contrib.metrics` has, and its names of the others."""
