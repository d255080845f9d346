"""Optimizers that only `tf.contrib.opt` has, and what changes other optimizers."""
