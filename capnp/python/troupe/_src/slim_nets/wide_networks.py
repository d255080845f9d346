"""Networks that begin with convolutions of large windows: AlexNet and OverFeat."""

from __future__ import annotations

from typing import Any, Dict, Tuple

from troupe._src.contrib.aliases import convert_collection_to_dict
from troupe._src.contrib.arg_scope import Scope, arg_scope
from troupe._src.contrib.layers import dropout, fully_connected, max_pool2d
from troupe._src.contrib.regularizers import l2_regularizer
from troupe._src.graph.elements import Tensor
from troupe._src.model_layers.convolutions import convolution2d
from troupe._src.ops import array_ops, gen_ops
from troupe._src.variables.initializers import Constant, TruncatedNormal, Zeros
from troupe._src.variables.variable_store import variable_scope


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> Scope:
    """The arguments of layers of `alexnet_v2`, for `arg_scope`.

    Args:
        weight_decay: The factor of the loss of the weights.

    Returns:
        The scope.
    """
    return _arguments(weight_decay, Constant(0.1))


def overfeat_arg_scope(weight_decay: float = 0.0005) -> Scope:
    """The arguments of layers of `overfeat`, for `arg_scope`.

    Args:
        weight_decay: The factor of the loss of the weights.

    Returns:
        The scope.
    """
    return _arguments(weight_decay, Zeros())


def alexnet_v2(
    inputs: Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: Any = "alexnet_v2",
) -> Tuple[Tensor, Dict[str, Any]]:  # fmt: skip
    """A network of five convolutions and three of all pixels (AlexNet, version 2).

    Args:
        inputs: Images, of 224 pixels to each side for a result of one pixel.
        num_classes: The channels of the result.
        is_training: Whether elements are dropped.
        dropout_keep_prob: How many of them are kept.
        spatial_squeeze: Whether the result has no axes of space, each of which has one pixel.
        scope: The scope of the variables.

    Returns:
        The result, and {name: result} of all layers.
    """
    with variable_scope(scope, "alexnet_v2") as current:
        collection = f"{current.original_name_scope}_end_points"
        with _collected(collection):
            net = convolution2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = max_pool2d(net, [3, 3], 2, scope="pool1")
            net = convolution2d(net, 192, [5, 5], scope="conv2")
            net = max_pool2d(net, [3, 3], 2, scope="pool2")
            for index, depth in ((3, 384), (4, 384), (5, 256)):
                net = convolution2d(net, depth, [3, 3], scope=f"conv{index}")
            net = max_pool2d(net, [3, 3], 2, scope="pool5")
            net = _of_all_pixels(net, 4096, 5, num_classes, is_training, dropout_keep_prob)
        return _finished(net, collection, current.name, spatial_squeeze)


def overfeat(
    inputs: Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: Any = "overfeat",
) -> Tuple[Tensor, Dict[str, Any]]:  # fmt: skip
    """A network of five convolutions and three of all pixels (OverFeat).

    Args:
        inputs: Images, of 231 pixels to each side for a result of one pixel.
        num_classes: The channels of the result.
        is_training: Whether elements are dropped.
        dropout_keep_prob: How many of them are kept.
        spatial_squeeze: Whether the result has no axes of space, each of which has one pixel.
        scope: The scope of the variables.

    Returns:
        The result, and {name: result} of all layers.
    """
    with variable_scope(scope, "overfeat") as current:
        collection = f"{current.name}_end_points"
        with _collected(collection):
            net = convolution2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = max_pool2d(net, [2, 2], scope="pool1")
            net = convolution2d(net, 256, [5, 5], padding="VALID", scope="conv2")
            net = max_pool2d(net, [2, 2], scope="pool2")
            for index, depth in ((3, 512), (4, 1024), (5, 1024)):
                net = convolution2d(net, depth, [3, 3], scope=f"conv{index}")
            net = max_pool2d(net, [2, 2], scope="pool5")
            net = _of_all_pixels(net, 3072, 6, num_classes, is_training, dropout_keep_prob)
        return _finished(net, collection, current.name, spatial_squeeze)


alexnet_v2.default_image_size = 224  # type: ignore[attr-defined]
overfeat.default_image_size = 231  # type: ignore[attr-defined]


def _arguments(weight_decay: float, biases: Any) -> Scope:
    with arg_scope(
        [convolution2d, fully_connected], activation_fn=gen_ops.relu,
        weights_regularizer=l2_regularizer(weight_decay), biases_initializer=biases,
    ):  # fmt: skip
        with arg_scope([convolution2d], padding="SAME"):
            with arg_scope([max_pool2d], padding="VALID") as scope:
                return scope


def _collected(collection: str) -> Any:
    layers: Any = [convolution2d, fully_connected, max_pool2d]
    return arg_scope(layers, outputs_collections=collection)


def _of_all_pixels(
    net: Tensor, depth: int, window: int, num_classes: int, is_training: Any, keep_prob: float
) -> Tensor:
    """The three last layers: convolutions in the place of fully connected ones."""
    with arg_scope(
        [convolution2d], weights_initializer=TruncatedNormal(stddev=0.005),
        biases_initializer=Constant(0.1),
    ):  # fmt: skip
        net = convolution2d(net, depth, [window, window], padding="VALID", scope="fc6")
        net = dropout(net, keep_prob, is_training=is_training, scope="dropout6")
        net = convolution2d(net, 4096, [1, 1], scope="fc7")
        net = dropout(net, keep_prob, is_training=is_training, scope="dropout7")
        last: Tensor = convolution2d(
            net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
            biases_initializer=Zeros(), scope="fc8",
        )  # fmt: skip
        return last


def _finished(
    net: Tensor, collection: str, scope: str, squeezed: bool
) -> Tuple[Tensor, Dict[str, Any]]:
    found = convert_collection_to_dict(collection)
    if squeezed:
        net = array_ops.squeeze(net, [1, 2], name="fc8/squeezed")
        found[f"{scope}/fc8"] = net
    return net, found
