"""Signals: their frames, their spectra, and windows."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.ops.gen_ops import fft, ifft
from troupe._src.ops.gen_ops import fft2_d as fft2d
from troupe._src.ops.gen_ops import fft3_d as fft3d
from troupe._src.ops.gen_ops import ifft2_d as ifft2d
from troupe._src.ops.gen_ops import ifft3_d as ifft3d
from troupe._src.signal.cosine import dct, idct
from troupe._src.signal.fourier import (
    fftshift,
    ifftshift,
    irfft,
    irfft2d,
    irfft3d,
    rfft,
    rfft2d,
    rfft3d,
)
from troupe._src.signal.frames import frame, overlap_and_add
from troupe._src.signal.mel import linear_to_mel_weight_matrix, mfccs_from_log_mel_spectrograms
from troupe._src.signal.stft import inverse_stft, inverse_stft_window_fn, stft
from troupe._src.signal.windows import hamming_window, hann_window

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftshift",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "linear_to_mel_weight_matrix",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "stft",
]
