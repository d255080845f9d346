"""Models of sequences over lists of time steps, TensorFlow 1.x's older module of them."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.sequence_losses import legacy_sequence_loss as sequence_loss
from troupe._src.contrib.sequence_losses import sequence_loss_by_example
from troupe._src.legacy_seq2seq.attention import attention_decoder, embedding_attention_decoder
from troupe._src.legacy_seq2seq.buckets import model_with_buckets
from troupe._src.legacy_seq2seq.decoders import embedding_rnn_decoder, rnn_decoder
from troupe._src.legacy_seq2seq.models import (
    basic_rnn_seq2seq,
    embedding_attention_seq2seq,
    embedding_rnn_seq2seq,
    embedding_tied_rnn_seq2seq,
    one2many_rnn_seq2seq,
    tied_rnn_seq2seq,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "attention_decoder",
    "basic_rnn_seq2seq",
    "embedding_attention_decoder",
    "embedding_attention_seq2seq",
    "embedding_rnn_decoder",
    "embedding_rnn_seq2seq",
    "embedding_tied_rnn_seq2seq",
    "model_with_buckets",
    "one2many_rnn_seq2seq",
    "rnn_decoder",
    "sequence_loss",
    "sequence_loss_by_example",
    "tied_rnn_seq2seq",
]
