"""Where TensorFlow's source has what is public here."""
