"""Checks of values, dtypes and shapes."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.graph.elements import is_numeric_tensor
from troupe._src.ops.arithmetic_ops import is_non_decreasing, is_strictly_increasing
from troupe._src.ops.check_ops import (
    assert_integer,
    assert_proper_iterable,
    assert_same_float_dtype,
    assert_scalar,
    assert_type,
)
from troupe._src.ops.gen_ops import is_finite, is_inf, is_nan

__getattr__ = _missing_names(__name__)

__all__ = [
    "assert_integer",
    "assert_proper_iterable",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_type",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
]
