"""What TensorFlow 1.x has in its contributed module of sequences, as far as there is any."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.sequence_losses import sequence_loss

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["sequence_loss"]
