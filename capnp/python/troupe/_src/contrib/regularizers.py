"""Regularizers, which make a loss of weights, and initializers of layers."""

from __future__ import annotations

import math
import numbers
from typing import Any, Callable, List, Optional, Sequence, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.operand import Operand
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.random import random_ops
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import as_shape

_Regularizer = Callable[[Any], Optional[Tensor]]


def l1_regularizer(scale: Union[float, Operand], scope: Optional[str] = None) -> _Regularizer:
    """The sum of the absolute weights, times the scale.

    Args:
        scale: A number or scalar tensor; 0 for no loss.
        scope: The name scope of its nodes.

    Returns:
        A function of weights, which gives a scalar, or None for a scale of 0.

    Raises:
        ValueError: The scale is an integer, or less than 0.
    """

    def absolute_sum(weights: Tensor) -> Tensor:
        return math_ops.reduce_sum(gen_ops.abs(weights))

    return _scaled(scale, scope, "l1_regularizer", absolute_sum)


def l2_regularizer(scale: Union[float, Operand], scope: Optional[str] = None) -> _Regularizer:
    """Half the sum of the squared weights, times the scale.

    Args:
        scale: A number or scalar tensor; 0 for no loss.
        scope: The name scope of its nodes.

    Returns:
        A function of weights, which gives a scalar, or None for a scale of 0.

    Raises:
        ValueError: The scale is an integer, or less than 0.
    """
    return _scaled(scale, scope, "l2_regularizer", gen_ops.l2_loss)


def _scaled(
    scale: Any, scope: Optional[str], default_name: str, loss: Callable[[Tensor], Tensor]
) -> _Regularizer:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {float(scale):g}")
        if scale == 0.0:
            return lambda _: None

    def regularize(weights: Any) -> Tensor:
        with get_default_graph().name_scope(scope or default_name) as name:
            given = convert_to_tensor(weights)
            return gen_ops.multiply(convert_to_tensor(scale, given.dtype), loss(given), name=name)

    return regularize


def l1_l2_regularizer(
    scale_l1: Union[float, Operand] = 1.0,
    scale_l2: Union[float, Operand] = 1.0,
    scope: Optional[str] = None,
) -> Optional[_Regularizer]:
    """The sum of both losses.

    Args:
        scale_l1: That of `l1_regularizer`.
        scale_l2: That of `l2_regularizer`.
        scope: The name scope of its nodes.

    Returns:
        A function of weights, which gives a scalar.

    Raises:
        ValueError: A scale is an integer, or less than 0.
    """
    for name, scale in (("scale_l1", scale_l1), ("scale_l2", scale_l2)):
        if isinstance(scale, numbers.Integral):
            raise ValueError(f"{name} cannot be an integer: {scale}")
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope)


def sum_regularizer(
    regularizer_list: Sequence[Optional[_Regularizer]], scope: Optional[str] = None
) -> Optional[_Regularizer]:
    """The sum of several regularizers.

    Args:
        regularizer_list: Regularizers; None among them is left out.
        scope: The name scope of its nodes.

    Returns:
        A function of weights, which gives a scalar, or None where no regularizer gives a loss. None
        without any regularizer.
    """
    regularizers = [each for each in regularizer_list if each is not None]
    if not regularizers:
        return None

    def regularize(weights: Any) -> Optional[Tensor]:
        with get_default_graph().name_scope(scope or "sum_regularizer") as name:
            losses = [loss for loss in (each(weights) for each in regularizers) if loss is not None]
            return add_n(losses, name=name) if losses else None

    return regularize


def apply_regularization(
    regularizer: _Regularizer, weights_list: Optional[Sequence[Any]] = None
) -> Tensor:
    """The sum of the losses of the weights, in REGULARIZATION_LOSSES.

    Args:
        regularizer: Makes a scalar loss of each.
        weights_list: The weights, by default those of the collection WEIGHTS.

    Returns:
        A scalar.

    Raises:
        ValueError: There are no weights, or a loss is not a scalar.
    """
    graph = get_default_graph()
    weights = weights_list or graph.get_collection(GraphKeys.WEIGHTS)
    if not weights:
        raise ValueError("No weights to regularize.")
    with graph.name_scope("get_regularization_penalty") as name:
        given: List[Optional[Tensor]] = [regularizer(each) for each in weights]
        losses = [constant(0.0) if loss is None else loss for loss in given]
        for loss in losses:
            if loss.shape.rank != 0:
                raise ValueError(
                    "regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{loss.shape.rank}."
                )
        total = add_n(losses, name=name)
    graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total


def xavier_initializer(
    uniform: bool = True, seed: Optional[int] = None, dtype: DTypeLike = dtypes.float32
) -> Callable[..., Tensor]:
    """Values whose variance is 2 / (inputs + outputs).

    Args:
        uniform: The values are of a uniform distribution, not of a truncated normal one.
        seed: Of the random numbers.
        dtype: A dtype of floating point numbers.

    Returns:
        The initializer, a function of a shape.

    Raises:
        TypeError: The dtype is another one.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


def variance_scaling_initializer(
    factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: Optional[int] = None,
    dtype: DTypeLike = dtypes.float32,
) -> Callable[..., Tensor]:  # fmt: skip
    """Values whose variance is the factor divided by a number of connections.

    Args:
        factor: Of the variance.
        mode: "FAN_IN", "FAN_OUT" or "FAN_AVG", the mean of both.
        uniform: The values are of a uniform distribution, not of a truncated normal one.
        seed: Of the random numbers.
        dtype: A dtype of floating point numbers.

    Returns:
        The initializer, a function of a shape.

    Raises:
        TypeError: The mode or the dtype is another one.
    """
    if not as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")
    default = dtype

    def initial(shape: Any, dtype: Any = default, partition_info: Any = None) -> Tensor:
        kind = as_dtype(dtype)
        if not kind.is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        sizes = as_shape(shape).as_list()
        count = _connections([float(size or 0) for size in sizes], mode)
        if uniform:
            limit = math.sqrt(3.0 * factor / count)
            return random_ops.random_uniform(sizes, -limit, limit, kind, seed=seed)
        # A normal distribution that is cut at two deviations has a variance of 1 / 1.3.
        deviation = math.sqrt(1.3 * factor / count)
        return random_ops.truncated_normal(sizes, 0.0, deviation, kind, seed=seed)

    return initial


def _connections(sizes: List[float], mode: str) -> float:
    window = math.prod(sizes[:-2])
    inputs = window * (sizes[-2:][0] if sizes else 1.0)
    outputs = window * (sizes[-1] if sizes else 1.0)
    return {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": (inputs + outputs) / 2.0}[mode]
