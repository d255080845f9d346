"""TensorFlow 2's names, as TensorFlow 1.15 has them in `tf.compat.v2`, for graphs."""
