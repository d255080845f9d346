"""What TensorBoard, a viewer of event files, is told beside them."""

from troupe.contrib.tensorboard import plugins

__all__ = ["plugins"]
