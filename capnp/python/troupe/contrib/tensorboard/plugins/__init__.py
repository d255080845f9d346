"""The parts of TensorBoard that have settings in the folder of the event files."""

from troupe.contrib.tensorboard.plugins import projector

__all__ = ["projector"]
