"""Checks of values, dtypes and shapes."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.checks.check_ops import (
    assert_integer,
    assert_proper_iterable,
    assert_same_float_dtype,
    assert_scalar,
    assert_type,
)
from troupe._src.checks.rank_ops import assert_rank, assert_rank_at_least, assert_rank_in
from troupe._src.checks.shape_ops import assert_shapes
from troupe._src.graph.elements import is_numeric_tensor
from troupe._src.ops.arithmetic_ops import is_non_decreasing, is_strictly_increasing
from troupe._src.ops.assert_ops import (
    Assert,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    check_numerics,
)
from troupe._src.ops.assert_ops import verify_tensor_all_finite as assert_all_finite
from troupe._src.ops.gen_ops import is_finite, is_inf, is_nan
from troupe._src.session.process_options import get_log_device_placement, set_log_device_placement

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, has_ops=True)

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "get_log_device_placement",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
    "set_log_device_placement",
]
