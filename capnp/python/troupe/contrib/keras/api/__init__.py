"""Where the contributed modules had what is public of Keras."""

from troupe.contrib.keras.api import keras

__all__ = ["keras"]
