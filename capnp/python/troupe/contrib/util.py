"""Values of tensors: as messages, and those that are known while the graph is built."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.graph_defs.tensor_protos import make_ndarray, make_tensor_proto
from troupe._src.framework.static_values import get_static_value as constant_value

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["constant_value", "make_ndarray", "make_tensor_proto"]
