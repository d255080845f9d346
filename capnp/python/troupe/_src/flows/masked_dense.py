"""Dense layers of which a block of units sees earlier blocks only."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.layers.core import Dense
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.clip_ops import clip_by_value
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.variables.initializers import GlorotNormal
from troupe._src.variables.template import make_template

MASK_INCLUSIVE = "inclusive"
MASK_EXCLUSIVE = "exclusive"


def gen_mask(
    num_blocks: int,
    n_in: int,
    n_out: int,
    mask_type: str = MASK_EXCLUSIVE,
    dtype: DType = dtypes.float32,
) -> Any:
    """The matrix that has a 1 where an output may depend on an input.

    Args:
        num_blocks: How many blocks the inputs and the outputs are divided into.
        n_in: The number of inputs.
        n_out: The number of outputs.
        mask_type: Whether a block depends on the same block of inputs, or on earlier ones only.
        dtype: The dtype.

    Returns:
        An array [n_out, n_in].
    """
    mask = np.zeros([n_out, n_in], dtype.as_numpy_dtype)
    inputs, outputs = n_in // num_blocks, n_out // num_blocks
    for block in range(num_blocks):
        first = (block + (mask_type == MASK_EXCLUSIVE)) * outputs
        mask[first:, block * inputs : (block + 1) * inputs] = 1
    return mask


def known_depth(x: Any) -> int:
    """The last size.

    Args:
        x: A tensor.

    Returns:
        The size.

    Raises:
        NotImplementedError: It is not known.
    """
    depth: Optional[int] = x.shape.with_rank_at_least(1)[-1].value
    if depth is None:
        raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
    return depth


@set_module("troupe.contrib.distributions.bijectors")
def masked_dense(
    inputs: Any,
    units: int,
    num_blocks: Any = None,
    exclusive: bool = False,
    kernel_initializer: Any = None,
    reuse: Optional[bool] = None,
    name: Optional[str] = None,
    *args: Any,
    **kwargs: Any,
) -> Tensor:
    """A dense layer of which a block of units depends on this and earlier blocks of inputs.

    Args:
        inputs: [..., depth].
        units: The number of units.
        num_blocks: How many blocks inputs and units are divided into.
        exclusive: Leaves out the same block, so that the first units depend on nothing.
        kernel_initializer: Makes the first values of the kernel, by default Glorot's normal ones.
        reuse: Whether the variables are there already.
        *args: Arguments of `tf.layers.Dense`.
        **kwargs: Likewise, by name.

    Returns:
        [..., units].

    Raises:
        NotImplementedError: The depth is not known.
    """
    depth = known_depth(inputs)
    kind = MASK_EXCLUSIVE if exclusive else MASK_INCLUSIVE
    dtype = inputs.dtype.base_dtype
    mask = gen_mask(num_blocks, depth, units, kind, dtype).T
    initializer = GlorotNormal() if kernel_initializer is None else kernel_initializer

    def masked_initializer(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return mask * initializer(shape, dtype, partition_info)

    with name_scope(name, "masked_dense"):
        options = {
            "kernel_initializer": masked_initializer,
            "kernel_constraint": lambda kernel: mask * kernel,
            "name": name, "dtype": dtype, "_scope": name, "_reuse": reuse,
        }  # fmt: skip
        layer: Any = Dense
        found: Tensor = layer(units, *args, **options, **kwargs).apply(inputs)
        return found


@set_module("troupe.contrib.distributions.bijectors")
def masked_autoregressive_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Optional[Callable[..., Any]] = gen_ops.relu,
    log_scale_min_clip: Any = -5.0,
    log_scale_max_clip: Any = 3.0,
    log_scale_clip_gradient: bool = False,
    name: Optional[str] = None,
    *args: Any,
    **kwargs: Any,
) -> Callable[..., Any]:
    """A function for `MaskedAutoregressiveFlow`: masked dense layers, one after the other.

    Args:
        hidden_layers: The numbers of units of all layers but the last one.
        shift_only: Makes no `log_scale`.
        activation: That of all layers but the last one.
        log_scale_min_clip: The least `log_scale`.
        log_scale_max_clip: The greatest `log_scale`.
        log_scale_clip_gradient: Whether there is no gradient beyond those.
        *args: Further arguments of `masked_dense`, after `exclusive`.
        **kwargs: Likewise, by name.

    Returns:
        A function of a tensor, which gives `shift` and `log_scale` in its shape; all calls share
        the variables.
    """

    def shift_and_log_scale(x: Any) -> Tuple[Any, Any]:
        depth = known_depth(x)
        shape: Any = x.shape
        sizes = shape.as_list() if shape.is_fully_defined() else array_ops.shape(x)
        for index, units in enumerate(hidden_layers):
            x = masked_dense(
                x, units, depth, index == 0, *args, activation=activation, **kwargs
            )
        count = depth if shift_only else 2 * depth
        x = masked_dense(x, count, depth, False, *args, activation=None, **kwargs)
        if shift_only:
            return array_ops.reshape(x, sizes), None
        pairs = array_ops.reshape(x, array_ops.concat([sizes, [2]], 0))
        shift, log_scale = array_ops.unstack(pairs, num=2, axis=-1)
        clipped = clip_by_value(log_scale, log_scale_min_clip, log_scale_max_clip)
        if not log_scale_clip_gradient:
            clipped = log_scale + gen_ops.stop_gradient(clipped - log_scale)
        return shift, clipped

    name = name or "masked_autoregressive_default_template"
    with name_scope(name):
        return make_template(name, shift_and_log_scale)
