"""Blocks of residual units, and the arguments of their layers."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from troupe._src.contrib.aliases import collect_named_outputs
from troupe._src.contrib.arg_scope import Scope, add_arg_scope, arg_scope
from troupe._src.contrib.batch_norm import batch_norm
from troupe._src.contrib.layers import max_pool2d
from troupe._src.contrib.regularizers import l2_regularizer, variance_scaling_initializer
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.model_layers.convolutions import convolution2d
from troupe._src.ops import gen_ops
from troupe._src.ops.creation_ops import pad
from troupe._src.set_module import set_module
from troupe._src.variables.variable_store import variable_scope


@set_module("troupe.contrib.slim.nets.resnet_utils")
class Block(NamedTuple):
    """Units of one function that follow each other.

    Args:
        scope: Their scope.
        unit_fn: Is called with the images, `rate` and the arguments of a unit.
        args: The arguments of each unit: "depth", "depth_bottleneck" and "stride".
    """

    scope: str
    unit_fn: Callable[..., Tensor]
    args: Sequence[Dict[str, Any]]


def subsample(inputs: Tensor, factor: int, scope: Any = None) -> Tensor:
    """Each pixel of so many, along both axes.

    Args:
        inputs: Images.
        factor: How far the pixels are apart.
        scope: The name scope.

    Returns:
        Images; the same ones for a factor of 1.
    """
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: Tensor, num_outputs: int, kernel_size: int, stride: int, rate: int = 1,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """A convolution whose windows begin at the same pixels for each size of the images.

    Args:
        inputs: Images.
        num_outputs: The channels of the result.
        kernel_size: The height and width of the window.
        stride: How far the window moves.
        rate: The dilation of the window.
        scope: The scope of the variables.

    Returns:
        Images, smaller by the stride.
    """
    if stride == 1:
        return convolution2d(
            inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope
        )
    total = kernel_size + (kernel_size - 1) * (rate - 1) - 1
    sides = [total // 2, total - total // 2]
    padded = pad(inputs, [[0, 0], sides, sides, [0, 0]])
    return convolution2d(
        padded, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope
    )


@add_arg_scope
def stack_blocks_dense(
    net: Tensor, blocks: Sequence[Block], output_stride: Optional[int] = None,
    outputs_collections: Any = None,
) -> Tensor:  # fmt: skip
    """The units of all blocks, whose strides become dilations where the images are small enough.

    Args:
        net: Images.
        blocks: The blocks.
        output_stride: By how much the images become smaller at most; None for all strides.
        outputs_collections: Where the result of each block is added to.

    Returns:
        Images.

    Raises:
        ValueError: The strides do not have that product on their way.
    """
    current, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block") as scope:
            for index, unit in enumerate(block.args):
                if output_stride is not None and current > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                stride = unit.get("stride", 1)
                with variable_scope(f"unit_{index + 1}"):
                    if output_stride is not None and current == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= stride
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        current *= stride
            net = collect_named_outputs(outputs_collections, scope.name, net)
    if output_stride is not None and current != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001, batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5, batch_norm_scale: bool = True,
) -> Scope:  # fmt: skip
    """The arguments of layers of residual networks, for `arg_scope`.

    Args:
        weight_decay: The factor of the loss of the weights.
        batch_norm_decay: How much of the moving averages each update keeps.
        batch_norm_epsilon: What is added to variances.
        batch_norm_scale: Whether batch normalization multiplies by a variable.

    Returns:
        The scope.
    """
    options = {
        "decay": batch_norm_decay, "epsilon": batch_norm_epsilon, "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }  # fmt: skip
    with arg_scope(
        [convolution2d], weights_regularizer=l2_regularizer(weight_decay),
        weights_initializer=variance_scaling_initializer(), activation_fn=gen_ops.relu,
        normalizer_fn=batch_norm, normalizer_params=options,
    ):  # fmt: skip
        with arg_scope([batch_norm], **options):
            with arg_scope([max_pool2d], padding="SAME") as scope:
                return scope
