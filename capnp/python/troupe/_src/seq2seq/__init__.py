"""Decoders of sequences, what gives them inputs, and attention to the outputs of encoders."""
