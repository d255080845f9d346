"""Input functions of arrays."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.estimator.inputs import numpy_input_fn, pandas_input_fn

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["numpy_input_fn", "pandas_input_fn"]
