"""The names that programs for several versions of TensorFlow use."""

from troupe._src.platform.forward_compatibility import (
    forward_compatibility_horizon,
    forward_compatible,
)
from troupe._src.api.text_types import (
    as_bytes,
    as_str,
    as_str_any,
    as_text,
    bytes_or_text_types,
    complex_types,
    integral_types,
    path_to_str,
    real_types,
)
from troupe._src.types.dimensions import dimension_value
from troupe._src.types.shapes import dimension_at_index
from troupe.compat import v1, v2

__all__ = [
    "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types",
    "dimension_at_index", "dimension_value", "forward_compatibility_horizon", "forward_compatible",
    "integral_types", "path_to_str", "real_types", "v1",
    "v2",
]  # fmt: skip
