"""Cells and wrappers of recurrent networks that `tf.contrib.rnn` has beyond those of `tf.nn`."""
