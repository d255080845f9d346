"""Estimators of common models, those of `tf.contrib.learn`."""
