"""Hyperparameters."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.hparams import HParams, parse_values

__getattr__ = _missing_names(__name__)

__all__ = [
    "HParams",
    "parse_values",
]
