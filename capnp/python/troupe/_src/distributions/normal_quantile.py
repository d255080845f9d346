"""The inverse of the distribution function of the normal distribution."""

from __future__ import annotations

from typing import Sequence, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops
from troupe._src.ops.arithmetic_ops import polyval
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.types import dtypes

# Wichura's algorithm AS 241 (PPND16): numerators and denominators of rational functions, the
# constant terms first, near the median and in two parts of the tails.
_Rational = Tuple[Sequence[float], Sequence[float]]
_NEAR: _Rational = (
    (
        3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
        1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
        3.3430575583588128105e4, 2.5090809287301226727e3,
    ),
    (
        1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
        2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
        5.2264952788528545610e3,
    ),
)  # fmt: skip
_FAR: _Rational = (
    (
        1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
        3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
        2.27238449892691845833e-2, 7.74545014278341407640e-4,
    ),
    (
        1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ),
)  # fmt: skip
_FARTHEST: _Rational = (
    (
        6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
        2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
        2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ),
    (
        1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ),
)  # fmt: skip


def ndtri(p: Tensor) -> Tensor:
    """The x of which `ndtr` is p; infinite for 0 and 1, and not a number beyond them.

    Raises:
        TypeError: The dtype is neither float32 nor float64.
    """
    if p.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(f"p.dtype={p.dtype} is not supported.")
    offset = p - 0.5
    is_near = gen_ops.less_equal(gen_ops.square(offset), 0.425**2)
    is_below = gen_ops.less(p, 0.5)
    tail = where_v2(is_below, p, 1.0 - p)
    is_inside = gen_ops.greater(tail, 0.0)
    # Each branch sees values of its own only: the gradient of the others would be infinite.
    middle = where_v2(is_near, offset, _same(offset, 0.0))
    is_tail = gen_ops.logical_and(is_inside, gen_ops.logical_not(is_near))
    root = gen_ops.sqrt(-gen_ops.log(where_v2(is_tail, tail, _same(tail, 0.01))))
    is_far = gen_ops.less_equal(root, 5.0)
    size = where_v2(
        is_far,
        _ratio(_FAR, gen_ops.minimum(root, 5.0) - 1.6),
        _ratio(_FARTHEST, gen_ops.maximum(root, 5.0) - 5.0),
    )
    infinite = where_v2(gen_ops.equal(tail, 0.0), _same(tail, np.inf), _same(tail, np.nan))
    size = where_v2(is_inside, size, infinite)
    outside = where_v2(is_below, -size, size)
    return where_v2(is_near, middle * _ratio(_NEAR, 0.425**2 - gen_ops.square(middle)), outside)


def _same(like: Tensor, value: float) -> Tensor:
    return convert_to_tensor(value, like.dtype)


def _ratio(of: _Rational, x: Tensor) -> Tensor:
    above, below = ([_same(x, value) for value in reversed(part)] for part in of)
    return polyval(above, x) / polyval(below, x)
