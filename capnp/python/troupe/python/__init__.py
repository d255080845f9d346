"""Where TensorFlow has some modules that programs import by their place in its source."""
