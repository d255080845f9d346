"""Training, evaluation and data of models, those of tf.contrib.slim and tf.contrib.training."""
