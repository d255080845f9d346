"""What programs use from `tf.contrib.framework` beside scopes of arguments and variables."""
