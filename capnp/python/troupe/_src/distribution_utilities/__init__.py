"""Functions that programs import from the insides of distributions in TensorFlow's source."""
