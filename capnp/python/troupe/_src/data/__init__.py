"""Datasets and the iterators over them: `tf.data`."""
