"""Estimators of `tf.contrib.estimator`, and what it makes of others."""
