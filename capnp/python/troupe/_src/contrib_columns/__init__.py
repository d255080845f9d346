"""Columns of `tf.contrib.layers`, and what makes inputs and sums of them."""
