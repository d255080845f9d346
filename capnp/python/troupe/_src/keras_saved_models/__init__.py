"""Models of `tf.keras` as SavedModels."""
