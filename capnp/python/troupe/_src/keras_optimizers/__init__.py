"""The optimizers of `tf.keras`, with schedules of their rates."""
