"""The messages of forests."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib.tensor_forest.proto import tensor_forest_params_pb2

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["tensor_forest_params_pb2"]
