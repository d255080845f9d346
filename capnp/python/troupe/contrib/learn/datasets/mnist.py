"""The handwritten digits of MNIST."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.mnist import DataSet, read_data_sets

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["DataSet", "read_data_sets"]
