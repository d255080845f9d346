"""Values that a step may have or not: `tf.data.experimental.Optional`."""
