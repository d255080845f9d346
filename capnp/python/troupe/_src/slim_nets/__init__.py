"""Networks of tf.contrib.slim: plain ones and residual ones."""
