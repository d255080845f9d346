"""Heads of `tf.estimator`, whose metrics are those of `tf.keras` and which programs derive from."""
