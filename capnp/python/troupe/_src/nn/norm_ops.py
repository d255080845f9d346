"""Normalization, and the moments that it needs."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.arguments import either
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes


def l2_normalize(
    x: TensorLike,
    axis: Optional[TensorLike] = None,
    epsilon: float = 1e-12,
    name: Optional[str] = None,
    dim: Optional[TensorLike] = None,
) -> Tensor:
    """x divided by its L2 norm along those axes.

    Args:
        x: floats of any shape.
        axis: an axis or a list of axes; None for all.
        epsilon: the smallest square of a norm that is divided by.
        dim: the former name of `axis`.

    Returns:
        A tensor of the shape of `x`.

    Raises:
        ValueError: if both names of the axis are given.
    """
    axes = either("axis", axis, "dim", dim)
    with get_default_graph().name_scope(name or "l2_normalize"):
        tensor = convert_to_tensor(x)
        squares = math_ops.reduce_sum(gen_ops.square(tensor), axes, keepdims=True)
        return tensor * gen_ops.rsqrt(gen_ops.maximum(squares, epsilon))


def moments(
    x: TensorLike,
    axes: TensorLike,
    shift: Optional[TensorLike] = None,
    name: Optional[str] = None,
    keep_dims: Optional[bool] = None,
    keepdims: Optional[bool] = None,
) -> Tuple[Tensor, Tensor]:
    """(mean, variance) along those axes. Half precision is computed in single precision.

    Args:
        x: numbers of any shape.
        axes: a list of axes, which the moments are computed over.
        shift: not used.
        keep_dims: the former name of `keepdims`.
        keepdims: whether the axes stay, with the size 1.

    Returns:
        Two tensors in the dtype of `x`, and its shape without the axes.

    Raises:
        ValueError: if both names of `keepdims` are given.
    """
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
        known = array_ops.get_static_value(axes)
        if known is None:
            return math_ops.reduce_sum(kept, axes)  # of one element each
        axes = known
    if axes is None and kept.shape.rank is None:
        return array_ops.reshape(kept, [])
    if axes is None:
        axes = list(range(kept.shape.rank or 0))
    listed = [int(axis) for axis in (axes if hasattr(axes, "__iter__") else [axes])]
    return array_ops.squeeze(kept, listed) if listed else kept


def weighted_moments(
    x: TensorLike,
    axes: TensorLike,
    frequency_weights: TensorLike,
    name: Optional[str] = None,
    keep_dims: Optional[bool] = None,
    keepdims: Optional[bool] = None,
) -> Tuple[Tensor, Tensor]:
    """(mean, variance) of elements that count as often as their weights say.

    Args:
        x: numbers of any shape.
        axes: a list of axes, which the moments are computed over.
        frequency_weights: what elements count, in a shape that broadcasts with that of `x`.
        keep_dims: the former name of `keepdims`.
        keepdims: whether the axes stay, with the size 1.

    Returns:
        Two tensors in the dtype of `x`, and its shape without the axes.

    Raises:
        ValueError: if both names of `keepdims` are given.
    """
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    with get_default_graph().name_scope(name or "weighted_moments"):
        given = convert_to_tensor(x)
        tensor = math_ops.cast(given, _exact(given))
        weights = math_ops.cast(convert_to_tensor(frequency_weights), tensor.dtype)
        weighted = math_ops.reduce_sum(weights * tensor, axes, keepdims=True)
        # The weights may be those of whole slices, which broadcast.
        each = weights + creation_ops.zeros_like(tensor)
        total = math_ops.reduce_sum(each, axes, keepdims=True)
        mean = gen_ops.multiply(weighted, gen_ops.reciprocal(total), name="weighted_mean")
        squares = gen_ops.squared_difference(tensor, mean)
        spread = math_ops.reduce_sum(weights * squares, axes, keepdims=True)
        variance = gen_ops.multiply(spread, gen_ops.reciprocal(total), name="weighted_variance")
        parts = [part if keep else _squeeze(part, axes) for part in (mean, variance)]
        mean, variance = (math_ops.cast(part, given.dtype) for part in parts)
        return mean, variance


def sufficient_statistics(
    x: TensorLike,
    axes: Any,
    shift: Optional[TensorLike] = None,
    keep_dims: Optional[bool] = None,
    name: Optional[str] = None,
    keepdims: Optional[bool] = None,
) -> Tuple[Tensor, Tensor, Tensor, Optional[Tensor]]:
    """(count, sum, sum of squares, shift) along those axes, of x - shift.

    Args:
        x: numbers of any shape.
        axes: a list of axes, which the sums are computed over.
        shift: what is subtracted from `x`, near its mean for precision; None for nothing.
        keep_dims: the former name of `keepdims`.
        keepdims: whether the axes stay, with the size 1.

    Returns:
        The count, a scalar; two sums of the shape of `x` without the axes; and the shift, as a
        tensor or None.

    Raises:
        ValueError: if both names of `keepdims` are given.
    """
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
    sizes = selection_ops.gather(array_ops.shape(tensor), axes)
    return math_ops.reduce_prod(math_ops.cast(sizes, tensor.dtype), name="count")


def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: Optional[TensorLike],
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """(mean, variance) from the results of sufficient_statistics.

    Args:
        counts: the number of elements, a scalar.
        mean_ss: their sum, less the shift of each.
        variance_ss: the sum of the squares of what `mean_ss` is the sum of.
        shift: the shift of the statistics, or None.

    Returns:
        Two tensors of the shape of `mean_ss`.
    """
    with get_default_graph().name_scope(name or "normalize"):
        divisor = gen_ops.reciprocal(counts, name="divisor")
        shifted = gen_ops.multiply(mean_ss, divisor, name="shifted_mean")
        mean = shifted if shift is None else math_ops.add(shifted, shift, name="mean")
        squares = gen_ops.multiply(variance_ss, divisor)
        variance = gen_ops.subtract(squares, gen_ops.square(shifted), name="variance")
        return mean, variance


def batch_normalization(
    x: TensorLike,
    mean: Any,
    variance: TensorLike,
    offset: Optional[TensorLike],
    scale: Optional[TensorLike],
    variance_epsilon: TensorLike,
    name: Optional[str] = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset.

    Args:
        x: floats of any shape.
        mean: floats in a shape that broadcasts with that of `x`; so are the others.
        variance: of the elements.
        offset: what is added at the end, or None.
        scale: what the normalized elements are multiplied by, or None.
        variance_epsilon: a small number that keeps the divisor from 0.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    with get_default_graph().name_scope(name or "batchnorm"):
        factor = gen_ops.rsqrt(convert_to_tensor(variance) + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        tensor = convert_to_tensor(x)
        scaled = tensor * math_ops.cast(factor, tensor.dtype)
        shift = -mean * factor if offset is None else offset - mean * factor
        normalized: Tensor = scaled + math_ops.cast(shift, tensor.dtype)
        return normalized


def batch_norm_with_global_normalization(
    t: Optional[TensorLike] = None,
    m: Optional[TensorLike] = None,
    v: Optional[TensorLike] = None,
    beta: Optional[TensorLike] = None,
    gamma: Optional[TensorLike] = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Optional[bool] = None,
    name: Optional[str] = None,
    input: Optional[TensorLike] = None,
    mean: Optional[TensorLike] = None,
    variance: Optional[TensorLike] = None,
) -> Tensor:
    """batch_normalization, with a scale only if asked for.

    Args:
        t: the images, [batch, height, width, channels].
        m: the mean of each channel, [channels]; so are the others.
        v: the variance of each channel.
        beta: what is added at the end.
        gamma: what the normalized elements are multiplied by.
        variance_epsilon: a small number that keeps the divisor from 0.
        scale_after_normalization: whether `gamma` is used.
        input: another name of `t`.
        mean: another name of `m`.
        variance: another name of `v`.

    Returns:
        A tensor of the shape of the images.

    Raises:
        ValueError: if both names of an argument are given.
    """
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
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: Optional[TensorLike] = None,
    variance: Optional[TensorLike] = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor, Tensor]:
    """(normalized images, mean, variance): by the batch in training, else by those given.

    Args:
        x: the images, four axes in the order of `data_format`.
        scale: float32, [channels].
        offset: float32, [channels].
        mean: float32, [channels], where `is_training` is false; else None.
        variance: as `mean`.
        epsilon: what is added to the variance, at least 1.001e-5.
        data_format: "NHWC" or "NCHW".
        is_training: whether mean and variance are those of this batch.

    Returns:
        A tensor of the shape and dtype of `x`, and two of shape [channels]. In training, the
        variance has Bessel's correction.

    Raises:
        ValueError: if moments are given in training, or missing otherwise.
    """
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
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: Optional[str] = None,
) -> Tensor:
    """Each element divided by (bias + alpha * the sum of squares of channels around it) ^ beta.

    Args:
        input: floats, [batch, height, width, channels].
        depth_radius: how many channels on each side count.
        bias: keeps the divisor from 0.
        alpha: the factor of the sum of squares.
        beta: the exponent.

    Returns:
        A tensor of the shape of `input`.
    """
    return raw_ops.LRN(
        input=input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name
    )
