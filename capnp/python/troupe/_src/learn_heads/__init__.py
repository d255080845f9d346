"""Heads of `tf.contrib.learn`: the losses, predictions and metrics of models."""
