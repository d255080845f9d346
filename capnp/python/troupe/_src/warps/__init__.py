"""Images that are turned, moved and warped: those of `tf.contrib.image`."""
