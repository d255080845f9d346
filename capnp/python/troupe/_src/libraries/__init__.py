"""What libraries import by its place in TensorFlow's source."""
