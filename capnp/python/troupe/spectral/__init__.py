"""Fourier and cosine transforms, which `troupe.signal` has too."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.ops.gen_ops import fft, ifft
from troupe._src.ops.gen_ops import fft2_d as fft2d
from troupe._src.ops.gen_ops import fft3_d as fft3d
from troupe._src.ops.gen_ops import ifft2_d as ifft2d
from troupe._src.ops.gen_ops import ifft3_d as ifft3d
from troupe._src.signal.cosine import dct, idct
from troupe._src.signal.fourier import irfft, irfft2d, irfft3d, rfft, rfft2d, rfft3d

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "irfft",
    "irfft2d",
    "irfft3d",
    "rfft",
    "rfft2d",
    "rfft3d",
]
