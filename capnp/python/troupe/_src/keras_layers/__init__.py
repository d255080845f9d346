"""Layers that `tf.keras` has beside those of the package `keras`."""
