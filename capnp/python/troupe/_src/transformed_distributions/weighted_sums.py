"""Logarithms of sums of exponentials with weights."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.scopes import name_scope
from troupe._src.ops import arithmetic_ops, array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import ones_like, zeros_like
from troupe._src.ops.reduction_ops import reduce_logsumexp
from troupe._src.ops.selection_ops import where_v2
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
def reduce_weighted_logsumexp(
    logx: Any,
    w: Any = None,
    axis: Any = None,
    keep_dims: bool = False,
    return_sign: bool = False,
    name: Optional[str] = None,
) -> Any:
    """log(|the sum of w * exp(logx)|), finite where the exponentials are not.

    Args:
        logx: The exponents.
        w: The weights, which may be negative and whose shape broadcasts; None for 1.
        axis: The axis or axes of the sum, by default all.
        keep_dims: Keeps them with the size 1.
        return_sign: Gives the sign of the sum, too.

    Returns:
        The logarithm, or (logarithm, sign).
    """
    with name_scope(name, "reduce_weighted_logsumexp"):
        exponents = convert_to_tensor(logx, name="logx")
        if w is None:
            found = reduce_logsumexp(exponents, axis, keepdims=keep_dims)
            return (found, ones_like(found)) if return_sign else found
        weights = convert_to_tensor(w, exponents.dtype, name="w")
        sizes = exponents + gen_ops.log(arithmetic_ops.abs(weights))
        largest = math_ops.reduce_max(sizes, axis, keepdims=True)
        # Without any weight, or with an infinite exponent, nothing is divided by.
        scale = where_v2(gen_ops.is_inf(largest), zeros_like(largest), largest)
        scale = gen_ops.stop_gradient(scale)
        parts = gen_ops.sign(weights) * gen_ops.exp(sizes - scale)
        total = math_ops.reduce_sum(parts, axis, keepdims=keep_dims)
        sign = gen_ops.sign(total)
        if not keep_dims:
            scale = array_ops.reshape(scale, array_ops.shape(total))
        found = gen_ops.log(arithmetic_ops.abs(total)) + scale
        return (found, sign) if return_sign else found
