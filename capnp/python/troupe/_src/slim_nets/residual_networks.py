"""Residual networks: with the activation after each sum (v1), or before each unit (v2)."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.contrib.aliases import (
    collect_named_outputs,
    convert_collection_to_dict,
    last_dimension,
)
from troupe._src.contrib.arg_scope import add_arg_scope, arg_scope
from troupe._src.contrib.batch_norm import batch_norm
from troupe._src.contrib.layers import max_pool2d
from troupe._src.graph.elements import Tensor
from troupe._src.model_layers.convolutions import convolution2d
from troupe._src.model_layers.stacks import softmax
from troupe._src.ops import gen_ops, math_ops
from troupe._src.slim_nets.residual_blocks import (
    Block,
    conv2d_same,
    stack_blocks_dense,
    subsample,
)
from troupe._src.variables.variable_store import variable_scope

Network = Tuple[Tensor, Dict[str, Any]]

# The units of the four blocks, by the number of layers.
_UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}


@add_arg_scope
def bottleneck_v1(
    inputs: Tensor, depth: int, depth_bottleneck: int, stride: int, rate: int = 1,
    outputs_collections: Any = None, scope: Any = None,
) -> Tensor:  # fmt: skip
    """Three convolutions, of fewer channels inside, added to the inputs.

    Args:
        inputs: Images.
        depth: The channels of the result.
        depth_bottleneck: The channels inside.
        stride: How far the window of the second one moves.
        rate: Its dilation.
        outputs_collections: Where the result is added to.
        scope: The scope of the variables, by default `bottleneck_v1`.

    Returns:
        Images.
    """
    with variable_scope(scope, "bottleneck_v1") as current:
        if depth == last_dimension(inputs.shape, min_rank=4):
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = convolution2d(
                inputs, depth, [1, 1], stride=stride, activation_fn=None, scope="shortcut"
            )
        inner = convolution2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        inner = conv2d_same(inner, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        inner = convolution2d(inner, depth, [1, 1], stride=1, activation_fn=None, scope="conv3")
        found: Tensor = collect_named_outputs(
            outputs_collections, current.name, gen_ops.relu(shortcut + inner)
        )
        return found


@add_arg_scope
def bottleneck_v2(
    inputs: Tensor, depth: int, depth_bottleneck: int, stride: int, rate: int = 1,
    outputs_collections: Any = None, scope: Any = None,
) -> Tensor:  # fmt: skip
    """Three convolutions of the normalized inputs, of fewer channels inside, added to the inputs.

    Args:
        inputs: Images.
        depth: The channels of the result.
        depth_bottleneck: The channels inside.
        stride: How far the window of the second one moves.
        rate: Its dilation.
        outputs_collections: Where the result is added to.
        scope: The scope of the variables, by default `bottleneck_v2`.

    Returns:
        Images.
    """
    linear: Dict[str, Any] = {"normalizer_fn": None, "activation_fn": None}
    with variable_scope(scope, "bottleneck_v2") as current:
        before = batch_norm(inputs, activation_fn=gen_ops.relu, scope="preact")
        if depth == last_dimension(inputs.shape, min_rank=4):
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = convolution2d(
                before, depth, [1, 1], stride=stride, scope="shortcut", **linear
            )
        inner = convolution2d(before, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        inner = conv2d_same(inner, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        inner = convolution2d(inner, depth, [1, 1], stride=1, scope="conv3", **linear)
        found: Tensor = collect_named_outputs(outputs_collections, current.name, shortcut + inner)
        return found


def resnet_v1(
    inputs: Tensor, blocks: Sequence[Block], num_classes: Optional[int] = None,
    is_training: Any = True, global_pool: bool = True, output_stride: Optional[int] = None,
    include_root_block: bool = True, reuse: Any = None, scope: Any = None,
) -> Network:  # fmt: skip
    """A residual network of those blocks, with the activation after each sum.

    Args:
        inputs: Images.
        blocks: The blocks.
        num_classes: The channels of a last convolution; None for none.
        is_training: Whether batch normalization is by the moments of the batch.
        global_pool: Whether the mean of all pixels is taken at the end.
        output_stride: By how much images become smaller at most; None for all strides.
        include_root_block: Whether a convolution and pooling come first.
        reuse: Takes the variables that the scope has.
        scope: The scope of the variables, by default `resnet_v1`.

    Returns:
        The result, and {name: result} of all layers, units and blocks.

    Raises:
        ValueError: The strides do not have that product on their way.
    """
    return _network(
        "resnet_v1", inputs, blocks, num_classes, is_training, global_pool, output_stride,
        include_root_block, reuse, scope,
    )  # fmt: skip


def resnet_v2(
    inputs: Tensor, blocks: Sequence[Block], num_classes: Optional[int] = None,
    is_training: Any = True, global_pool: bool = True, output_stride: Optional[int] = None,
    include_root_block: bool = True, reuse: Any = None, scope: Any = None,
) -> Network:  # fmt: skip
    """A residual network of those blocks, with normalization and activation before each unit.

    Args:
        inputs: Images.
        blocks: The blocks.
        num_classes: The channels of a last convolution; None for none.
        is_training: Whether batch normalization is by the moments of the batch.
        global_pool: Whether the mean of all pixels is taken at the end.
        output_stride: By how much images become smaller at most; None for all strides.
        include_root_block: Whether a convolution and pooling come first.
        reuse: Takes the variables that the scope has.
        scope: The scope of the variables, by default `resnet_v2`.

    Returns:
        The result, and {name: result} of all layers, units and blocks.

    Raises:
        ValueError: The strides do not have that product on their way.
    """
    return _network(
        "resnet_v2", inputs, blocks, num_classes, is_training, global_pool, output_stride,
        include_root_block, reuse, scope,
    )  # fmt: skip


for _made in (resnet_v1, resnet_v2):
    _made.default_image_size = 224  # type: ignore[attr-defined]


def _network(
    kind: str, inputs: Tensor, blocks: Sequence[Block], num_classes: Optional[int],
    is_training: Any, global_pool: bool, output_stride: Optional[int], has_root: bool, reuse: Any,
    scope: Any,
) -> Network:  # fmt: skip
    is_second = kind == "resnet_v2"
    unit = bottleneck_v2 if is_second else bottleneck_v1
    with variable_scope(scope, kind, reuse=reuse) as current:
        collection = f"{current.original_name_scope}_end_points"
        collected: List[Any] = [convolution2d, unit, stack_blocks_dense]
        with arg_scope(collected, outputs_collections=collection):
            with arg_scope([batch_norm], is_training=is_training):
                net = inputs
                if has_root:
                    if output_stride is not None:
                        if output_stride % 4 != 0:
                            raise ValueError("The output_stride needs to be a multiple of 4.")
                        output_stride //= 4
                    net = _root(net, is_second)
                net = stack_blocks_dense(net, blocks, output_stride)
                if is_second:
                    net = batch_norm(net, activation_fn=gen_ops.relu, scope="postnorm")
                if global_pool:
                    net = math_ops.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
                if num_classes is not None:
                    net = convolution2d(
                        net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                        scope="logits",
                    )  # fmt: skip
        found = convert_collection_to_dict(collection)
        if num_classes is not None:
            found["predictions"] = softmax(net, scope="predictions")
        return net, found


def _root(net: Tensor, is_linear: bool) -> Tensor:
    changed = {"activation_fn": None, "normalizer_fn": None} if is_linear else {}
    with arg_scope([convolution2d], **changed):
        net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
    return max_pool2d(net, [3, 3], stride=2, scope="pool1")


def _block(unit: Any, scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    sizes = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    strides = [1] * (num_units - 1) + [stride]
    return Block(scope, unit, [{**sizes, "stride": each} for each in strides])


def resnet_v1_block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """A block of `bottleneck` units, the last of which has the stride.

    Args:
        scope: Its scope.
        base_depth: The channels inside of units; outside there are four times as many.
        num_units: How many units there are.
        stride: The stride.

    Returns:
        The block.
    """
    return _block(bottleneck_v1, scope, base_depth, num_units, stride)


def resnet_v2_block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """A block of `bottleneck` units, the last of which has the stride.

    Args:
        scope: Its scope.
        base_depth: The channels inside of units; outside there are four times as many.
        num_units: How many units there are.
        stride: The stride.

    Returns:
        The block.
    """
    return _block(bottleneck_v2, scope, base_depth, num_units, stride)


def _of_depth(version: int, depth: int) -> Callable[..., Network]:
    """The network of that many layers."""
    whole = (resnet_v1, resnet_v2)[version - 1]
    block = (resnet_v1_block, resnet_v2_block)[version - 1]
    name = f"resnet_v{version}_{depth}"

    def network(
        inputs: Tensor, num_classes: Optional[int] = None, is_training: Any = True,
        global_pool: bool = True, output_stride: Optional[int] = None, reuse: Any = None,
        scope: Any = name,
    ) -> Network:  # fmt: skip
        depths, strides = (64, 128, 256, 512), (2, 2, 2, 1)
        blocks = [
            block(f"block{index + 1}", depths[index], units, strides[index])
            for index, units in enumerate(_UNITS[depth])
        ]
        return whole(
            inputs, blocks, num_classes, is_training, global_pool, output_stride, True, reuse, scope
        )

    network.__name__ = network.__qualname__ = name
    network.__doc__ = f"""A residual network of {depth} layers.

    Args:
        inputs: Images.
        num_classes: The channels of a last convolution; None for none.
        is_training: Whether batch normalization is by the moments of the batch.
        global_pool: Whether the mean of all pixels is taken at the end.
        output_stride: By how much images become smaller at most; None for all strides.
        reuse: Takes the variables that the scope has.
        scope: The scope of the variables.

    Returns:
        The result, and {{name: result}} of all layers, units and blocks.
    """
    return network


resnet_v1_50, resnet_v1_101 = _of_depth(1, 50), _of_depth(1, 101)
resnet_v1_152, resnet_v1_200 = _of_depth(1, 152), _of_depth(1, 200)
resnet_v2_50, resnet_v2_101 = _of_depth(2, 50), _of_depth(2, 101)
resnet_v2_152, resnet_v2_200 = _of_depth(2, 152), _of_depth(2, 200)
