"""The tutorial of digits."""

from troupe.examples.tutorials.mnist import input_data

__all__ = ["input_data"]
