"""What TensorFlow 1.x has in its older module of sequences, as far as there is any."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.sequence_losses import legacy_sequence_loss as sequence_loss
from troupe._src.contrib.sequence_losses import rnn_decoder, sequence_loss_by_example

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["rnn_decoder", "sequence_loss", "sequence_loss_by_example"]
