"""The distribution function of the normal distribution, and its logarithm."""

from __future__ import annotations

import math

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops
from troupe._src.ops.selection_ops import where_v2

# Below, the function is too small for a logarithm of it.
_LIMITS = {np.float32: -10.0, np.float64: -20.0}


def ndtr(x: Tensor) -> Tensor:
    """The probability of values up to x."""
    return 0.5 * gen_ops.erfc(x * -math.sqrt(0.5))


def log_ndtr(x: Tensor) -> Tensor:
    """The logarithm of that, also where the probability is too small for its dtype.

    Raises:
        TypeError: The dtype is neither float32 nor float64.
    """
    low = _LIMITS.get(x.dtype.as_numpy_dtype)
    if low is None:
        raise TypeError(f"x.dtype={x.dtype} is not supported.")
    # Each branch sees values of its own only: the gradient of the others would be infinite.
    middle = gen_ops.log(ndtr(gen_ops.maximum(x, low)))
    below = _far_below(gen_ops.minimum(x, low))
    # Of a probability near 1, the logarithm would have few digits.
    above = gen_ops.log1p(-ndtr(-gen_ops.maximum(x, 0.0)))
    up_to_half = where_v2(gen_ops.greater(x, low), middle, below)
    return where_v2(gen_ops.greater(x, 0.0), above, up_to_half)


def _far_below(x: Tensor) -> Tensor:
    """By the first terms of the asymptotic series."""
    inverse = 1.0 / gen_ops.square(x)
    series = 1.0 - inverse * (1.0 - 3.0 * inverse * (1.0 - 5.0 * inverse))
    scale = -0.5 * gen_ops.square(x) - gen_ops.log(-x) - 0.5 * math.log(2 * math.pi)
    return scale + gen_ops.log(series)
