"""Normalization of examples: by channels, by groups of channels, and to the length 1."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.contrib.aliases import collect_named_outputs, get_variable_collections
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.variables import model_variable
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.norm_ops import (
    batch_normalization,
    moments,
    normalize_moments,
    sufficient_statistics,
)
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.initializers import Ones, Zeros
from troupe._src.variables.variable_store import variable_scope


@add_arg_scope
def instance_norm(
    inputs: TensorLike, center: bool = True, scale: bool = True, epsilon: float = 1e-6,
    activation_fn: Optional[Callable[..., Any]] = None,
    param_initializers: Optional[Dict[str, Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    data_format: str = "NHWC", scope: Any = None,
) -> Tensor:  # fmt: skip
    """Each channel of each example, normalized by its own moments.

    Args:
        inputs: Of floating point numbers, of a known rank and number of channels.
        center: Adds a variable `beta`.
        scale: Multiplies by a variable `gamma`.
        epsilon: What is added to variances.
        activation_fn: Called with the result; None for none.
        param_initializers: {"beta" or "gamma": initializer}.
        reuse: Takes the variables that the scope has.
        variables_collections: Where variables are added to, or {kind: collections}.
        outputs_collections: Where the result is added to.
        trainable: Whether optimizers train `beta` and `gamma` by default.
        data_format: "NHWC", with the channels last, or "NCHW".
        scope: The scope of the variables, by default `InstanceNorm`.

    Returns:
        A tensor of the shape of `inputs`.

    Raises:
        ValueError: The format is another one, or the rank or number of channels is not known.
    """
    tensor = convert_to_tensor(inputs)
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {tensor.name} has undefined rank.")
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "InstanceNorm", reuse=reuse) as current:
        channel_axis = 1 if data_format == "NCHW" else rank - 1
        channels = tensor.shape.as_list()[channel_axis]
        if channels is None:
            raise ValueError(f"Inputs {tensor.name} has undefined channels dimension (?,).")
        shape = [1, channels, *[1] * (rank - 2)] if data_format == "NCHW" else None
        parameters = _parameters(
            [channels], shape, tensor, center, scale, param_initializers or {},
            variables_collections, trainable,
        )  # fmt: skip
        axes = [axis for axis in range(1, rank) if axis != channel_axis]
        mean, variance = moments(tensor, axes, keep_dims=True)
        outputs = batch_normalization(tensor, mean, variance, *parameters, epsilon)
        outputs.set_shape(tensor.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        found: Tensor = collect_named_outputs(outputs_collections, current.name, outputs)
        return found


def _parameters(
    sizes: List[int], shape: Optional[List[int]], tensor: Tensor, center: bool, scale: bool,
    initial: Dict[str, Any], collections: Any, trainable: bool,
) -> Tuple[Any, Any]:  # fmt: skip
    """`beta` and `gamma` in a shape that is broadcast to the inputs, each None without."""
    found: List[Any] = []
    for kind, is_used, initializer in (("beta", center, Zeros()), ("gamma", scale, Ones())):
        value: Any = None
        if is_used:
            value = model_variable(
                kind,
                sizes,
                tensor.dtype,
                initial.get(kind, initializer),
                trainable=trainable,
                collections=get_variable_collections(collections, kind),
            )
            value = value if shape is None else array_ops.reshape(value, shape)
        found.append(value)
    return found[0], found[1]


@add_arg_scope
def group_norm(
    inputs: TensorLike, groups: int = 32, channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2), center: bool = True, scale: bool = True,
    epsilon: float = 1e-6, activation_fn: Optional[Callable[..., Any]] = None,
    param_initializers: Optional[Dict[str, Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None, mean_close_to_zero: bool = False,
) -> Tensor:  # fmt: skip
    """Each group of channels of each example, normalized by its own moments.

    Args:
        inputs: Of floating point numbers, of a known rank and number of channels.
        groups: Into how many groups the channels are divided, one after the other.
        channels_axis: The axis of the channels.
        reduction_axes: The axes along which moments are taken, besides the channels of a group;
            their sizes are known.
        center: Adds a variable `beta`.
        scale: Multiplies by a variable `gamma`.
        epsilon: What is added to variances.
        activation_fn: Called with the result; None for none.
        param_initializers: {"beta" or "gamma": initializer}.
        reuse: Takes the variables that the scope has.
        variables_collections: Where variables are added to, or {kind: collections}.
        outputs_collections: Where the result is added to.
        trainable: Whether optimizers train `beta` and `gamma` by default.
        scope: The scope of the variables, by default `GroupNorm`.
        mean_close_to_zero: Takes the variance of squares, which is faster, and exact only there.

    Returns:
        A tensor of the shape of `inputs`.

    Raises:
        ValueError: The rank or a size is not known, an axis does not exist or is in both, or the
            groups do not divide the channels.
    """
    tensor = convert_to_tensor(inputs)
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {tensor.name} has undefined rank.")
    if channels_axis > rank - 1:
        raise ValueError("Axis is out of bounds.")
    axis = channels_axis + rank if channels_axis < 0 else channels_axis
    sizes = tensor.shape.as_list()
    channels = sizes[axis]
    if channels is None:
        raise ValueError(f"Inputs {tensor.name} has undefined channel dimension: {axis}.")
    reduced = _checked_axes(tensor, axis, reduction_axes)
    if groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups != 0:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    dynamic = array_ops.shape(tensor)
    shape = [dynamic[index] if size is None else size for index, size in enumerate(sizes)]
    divided = [groups, channels // groups]
    broadcast = [*[1] * axis, *divided, *[1] * (rank - axis - 1)]
    with variable_scope(scope, "GroupNorm", reuse=reuse) as current:
        grouped = array_ops.reshape(tensor, [*shape[:axis], *divided, *shape[axis + 1 :]])
        beta, gamma = _parameters(
            [channels], broadcast, tensor, center, scale, param_initializers or {},
            variables_collections, trainable,
        )  # fmt: skip
        axes = [axis + 1, *(each + 1 if each > axis else each for each in reduced)]
        if mean_close_to_zero:
            sums = sufficient_statistics(grouped, axes, keep_dims=True)
            mean, variance = normalize_moments(*sums[:3], shift=None)
        else:
            mean, variance = moments(grouped, axes, keep_dims=True)
        outputs = batch_normalization(grouped, mean, variance, beta, gamma, epsilon)
        outputs = array_ops.reshape(outputs, shape)
        outputs.set_shape(tensor.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        found: Tensor = collect_named_outputs(outputs_collections, current.name, outputs)
        return found


def _checked_axes(tensor: Tensor, channels: int, axes: Sequence[int]) -> List[int]:
    sizes = tensor.shape.as_list()
    found = [axis + len(sizes) if axis < 0 else axis for axis in axes]
    for axis in found:
        if axis >= len(sizes):
            raise ValueError("Axis is out of bounds.")
        if sizes[axis] is None:
            raise ValueError(f"Inputs {tensor.name} has undefined dimensions {axis}.")
        if axis == channels:
            raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    return found


@add_arg_scope
def unit_norm(inputs: TensorLike, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Tensor:
    """Vectors along an axis, divided by their lengths.

    Args:
        inputs: Of floating point numbers, of a known rank.
        dim: The axis, from 0 on.
        epsilon: What is added to the squares of lengths.
        scope: The scope of the nodes, by default `UnitNorm`.

    Returns:
        A tensor of the shape of `inputs`.

    Raises:
        ValueError: The rank is not known, or there is no such axis.
    """
    with variable_scope(scope, "UnitNorm"):
        tensor = convert_to_tensor(inputs)
        if tensor.shape.rank is None:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < tensor.shape.rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        squares = math_ops.reduce_sum(gen_ops.square(tensor), dim, keepdims=True)
        return tensor / gen_ops.sqrt(epsilon + squares)


def poincare_normalize(
    x: TensorLike, axis: Any = 1, epsilon: float = 1e-5, name: Optional[str] = None
) -> Tensor:
    """Vectors along an axis, shortened to just below the length 1 where they are longer.

    Args:
        x: Of floating point numbers.
        axis: The axis, or a list of axes.
        epsilon: By how much the greatest length is below 1.

    Returns:
        A tensor of the shape of `x`.
    """
    with get_default_graph().name_scope(name or "poincare_normalize"):
        tensor = convert_to_tensor(x)
        squares = math_ops.reduce_sum(gen_ops.square(tensor), axis, keepdims=True)
        shrunk = gen_ops.minimum((1.0 - epsilon) * gen_ops.rsqrt(squares), 1.0)
        return tensor * shrunk
