"""The function that makes normal distributions skewed, and their tails heavier or lighter."""

from __future__ import annotations

import math
from typing import Any, Tuple

from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor


class SinhArcsinhFunction:
    """x -> loc + scale sinh((asinh(x) + skewness) tailweight) 2 / sinh(asinh(2) tailweight).

    Without skewness, 2 goes to loc + 2 scale.
    """

    def __init__(
        self, loc: Any, scale: Tensor, skewness: Tensor, tailweight: Tensor
    ) -> None:
        self.loc, self.skewness, self.tailweight = loc, skewness, tailweight
        self.factor = 2.0 * scale / gen_ops.sinh(math.asinh(2.0) * tailweight)

    def forward(self, x: Tensor) -> Tensor:
        """What the function gives."""
        angle = (gen_ops.asinh(x) + self.skewness) * self.tailweight
        found = self.factor * gen_ops.sinh(angle)
        return found if self.loc is None else found + self.loc

    def inverse(self, value: Tensor) -> Tuple[Tensor, Tensor]:
        """The x, and the logarithm of the slope of x by the value."""
        y = (value if self.loc is None else value - self.loc) / self.factor
        angle = gen_ops.asinh(y) / self.tailweight - self.skewness
        # log(cosh(angle)) by log1p: exp(angle) may be too large.
        size = gen_ops.maximum(angle, -angle)
        log_cosh = size + gen_ops.log1p(gen_ops.exp(-2.0 * size)) - math.log(2)
        steepness = gen_ops.log(self.tailweight) + gen_ops.log(
            gen_ops.maximum(self.factor, -self.factor)
        )
        # sqrt(1 + y^2) is cosh(asinh(y)), and y^2 may be too large as well.
        turn = gen_ops.asinh(y)
        wide = gen_ops.maximum(turn, -turn)
        log_root = wide + gen_ops.log1p(gen_ops.exp(-2.0 * wide)) - math.log(2)
        return gen_ops.sinh(angle), log_cosh - log_root - steepness


def scalar_checks(distribution: Any, dtype: Any, validate_args: bool) -> Any:
    """Raises unless a distribution is one of single numbers; what is left for steps to check."""
    if distribution.dtype != dtype:
        raise TypeError(
            f"dtype mismatch; distribution.dtype={distribution.dtype.name!r} is not {dtype.name!r}"
        )
    if validate_args and distribution.reparameterization_type != FULLY_REPARAMETERIZED:
        raise ValueError(
            "Base distribution should be reparameterized or be a function of non-trainable "
            f"variables, not {distribution.reparameterization_type}."
        )
    left = []
    for text in ("is_scalar_event", "is_scalar_batch"):
        holds = getattr(distribution, text)()
        known = array_ops.get_static_value(holds)
        message = f"distribution must be scalar; distribution.{text}=False is not True"
        if known is None and validate_args:
            true = convert_to_tensor(True)
            left.append(assert_ops.assert_equal(holds, true, message=message))
        elif known is not None and not known:
            raise ValueError(message)
    return left
