"""Frames of signals and their spectra, which `troupe.signal` has too."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.signal.frames import frame, overlap_and_add
from troupe._src.signal.mel import linear_to_mel_weight_matrix, mfccs_from_log_mel_spectrograms
from troupe._src.signal.stft import inverse_stft, inverse_stft_window_fn, stft
from troupe._src.signal.windows import hamming_window, hann_window
from troupe._src.signal.frames import frame as frames

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "frame",
    "frames",
    "hamming_window",
    "hann_window",
    "inverse_stft",
    "inverse_stft_window_fn",
    "linear_to_mel_weight_matrix",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "stft",
]
