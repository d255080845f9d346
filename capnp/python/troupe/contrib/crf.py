"""Conditional random fields over sequences of tags."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.crf import (
    crf_binary_score,
    crf_decode,
    crf_log_likelihood,
    crf_log_norm,
    crf_multitag_sequence_score,
    crf_sequence_score,
    crf_unary_score,
    viterbi_decode,
)
from troupe._src.contrib.crf_cells import (
    CrfDecodeBackwardRnnCell,
    CrfDecodeForwardRnnCell,
    CrfForwardRnnCell,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "CrfDecodeBackwardRnnCell",
    "CrfDecodeForwardRnnCell",
    "CrfForwardRnnCell",
    "crf_binary_score",
    "crf_decode",
    "crf_log_likelihood",
    "crf_log_norm",
    "crf_multitag_sequence_score",
    "crf_sequence_score",
    "crf_unary_score",
    "viterbi_decode",
]
