"""The objects that stand for TensorFlow's protocol buffers: options, records, metadata."""
