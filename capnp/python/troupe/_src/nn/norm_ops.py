"""Normalization, and the moments that it needs."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.arguments import either
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """x divided by its L2 norm along those axes."""
    axes = either("axis", axis, "dim", dim)
    with get_default_graph().name_scope(name or "l2_normalize"):
        tensor = convert_to_tensor(x)
        squares = math_ops.reduce_sum(gen_ops.square(tensor), axes, keepdims=True)
        return tensor * gen_ops.rsqrt(gen_ops.maximum(squares, epsilon))


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: Optional[str] = None,
    keep_dims: Optional[bool] = None,
    keepdims: Optional[bool] = None,
) -> Tuple[Tensor, Tensor]:
    """(mean, variance) along those axes. Half precision is computed in single precision."""
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    with get_default_graph().name_scope(name or "moments"):
        tensor = convert_to_tensor(x)
        exact = math_ops.cast(tensor, _exact(tensor))
        mean = math_ops.reduce_mean(exact, axes, keepdims=True, name="mean")
        squares = gen_ops.squared_difference(exact, gen_ops.stop_gradient(mean))
        variance = math_ops.reduce_mean(squares, axes, keepdims=True, name="variance")
        parts = [part if keep else _squeeze(part, axes) for part in (mean, variance)]
        mean, variance = (math_ops.cast(part, tensor.dtype) for part in parts)
        return mean, variance


def _exact(tensor: Tensor) -> Any:
    return dtypes.float32 if tensor.dtype is dtypes.float16 else tensor.dtype


def _squeeze(kept: Tensor, axes: Any) -> Tensor:
    """Removes the axes of size 1 that a reduction has kept."""
    if isinstance(axes, Tensor):
        axes = array_ops.get_static_value(axes)
    if axes is None and kept.shape.rank is None:
        return array_ops.reshape(kept, [])
    if axes is None:
        axes = list(range(kept.shape.rank or 0))
    listed = [int(axis) for axis in (axes if hasattr(axes, "__iter__") else [axes])]
    return array_ops.squeeze(kept, listed) if listed else kept


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: Optional[str] = None,
    keep_dims: Optional[bool] = None,
    keepdims: Optional[bool] = None,
) -> Tuple[Tensor, Tensor]:
    """(mean, variance) of elements that count as often as their weights say."""
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    with get_default_graph().name_scope(name or "weighted_moments"):
        given = convert_to_tensor(x)
        tensor = math_ops.cast(given, _exact(given))
        weights = math_ops.cast(convert_to_tensor(frequency_weights), tensor.dtype)
        weighted = math_ops.reduce_sum(weights * tensor, axes, keepdims=True)
        # The weights may be those of whole slices, which broadcast.
        each = weights + array_ops.zeros_like(tensor)
        total = math_ops.reduce_sum(each, axes, keepdims=True)
        mean = gen_ops.multiply(weighted, gen_ops.reciprocal(total), name="weighted_mean")
        squares = gen_ops.squared_difference(tensor, mean)
        spread = math_ops.reduce_sum(weights * squares, axes, keepdims=True)
        variance = gen_ops.multiply(spread, gen_ops.reciprocal(total), name="weighted_variance")
        parts = [part if keep else _squeeze(part, axes) for part in (mean, variance)]
        mean, variance = (math_ops.cast(part, given.dtype) for part in parts)
        return mean, variance


def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: Optional[bool] = None,
    name: Optional[str] = None,
    keepdims: Optional[bool] = None,
) -> Tuple[Tensor, Tensor, Tensor, Any]:
    """(count, sum, sum of squares, shift) along those axes, of x - shift."""
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    with get_default_graph().name_scope(name or "sufficient_statistics"):
        tensor = convert_to_tensor(x)
        count = _count(tensor, [int(axis) for axis in axes])
        if shift is None:
            first, second = tensor, gen_ops.square(tensor)
        else:
            shift = convert_to_tensor(shift, tensor.dtype)
            first, second = tensor - shift, gen_ops.squared_difference(tensor, shift)
        total = math_ops.reduce_sum(first, axes, keepdims=keep, name="mean_ss")
        squares = math_ops.reduce_sum(second, axes, keepdims=keep, name="var_ss")
        return count, total, squares, shift


def _count(tensor: Tensor, axes: List[int]) -> Tensor:
    if tensor.shape.rank is not None:
        known = [tensor.shape[axis].value for axis in axes]
        if None not in known:
            count = 1
            for size in known:
                count *= size or 0
            return constant(count, tensor.dtype, name="count")
    sizes = array_ops.gather(array_ops.shape(tensor), axes)
    return math_ops.reduce_prod(math_ops.cast(sizes, tensor.dtype), name="count")


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: Optional[str] = None
) -> Tuple[Tensor, Tensor]:
    """(mean, variance) from the results of sufficient_statistics."""
    with get_default_graph().name_scope(name or "normalize"):
        divisor = gen_ops.reciprocal(counts, name="divisor")
        shifted = gen_ops.multiply(mean_ss, divisor, name="shifted_mean")
        mean = shifted if shift is None else math_ops.add(shifted, shift, name="mean")
        squares = gen_ops.multiply(variance_ss, divisor)
        variance = gen_ops.subtract(squares, gen_ops.square(shifted), name="variance")
        return mean, variance


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: Optional[str] = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset."""
    with get_default_graph().name_scope(name or "batchnorm"):
        factor = gen_ops.rsqrt(convert_to_tensor(variance) + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        tensor = convert_to_tensor(x)
        shift = -mean * factor if offset is None else offset - mean * factor
        normalized: Tensor = tensor * math_ops.cast(factor, tensor.dtype) + math_ops.cast(
            shift, tensor.dtype
        )
        return normalized


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Optional[bool] = None,
    name: Optional[str] = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """batch_normalization, with a scale only if asked for."""
    return batch_normalization(
        either("input", input, "t", t),
        either("mean", mean, "m", m),
        either("variance", variance, "v", v),
        beta,
        gamma if scale_after_normalization else None,
        variance_epsilon,
        name,
    )


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor, Tensor]:
    """(normalized images, mean, variance): by the batch in training, else by those given."""
    if is_training:
        if mean is not None or variance is not None:
            raise ValueError(
                "Both 'mean' and 'variance' must be None if is_training is True, because they are "
                "those of the batch"
            )
        mean = variance = constant([], dtypes.float32, [0])
    elif mean is None or variance is None:
        raise ValueError("Both 'mean' and 'variance' are needed if is_training is False")
    # cuDNN has no smaller one, and TensorFlow uses the same one on all devices.
    smallest = 1.001e-5
    outputs = raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=mean,
        variance=variance,
        epsilon=max(epsilon, smallest),
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return outputs[0], outputs[1], outputs[2]


def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: Optional[str] = None,
) -> Tensor:
    """Each element divided by (bias + alpha * the sum of squares of channels around it) ^ beta."""
    return raw_ops.LRN(
        input=input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name
    )
