"""Networks of tf.contrib.slim: plain ones, residual ones, and ones of parallel branches."""
