"""What networks of parallel branches are made of (Inception), and what they have in common."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from troupe._src.contrib.arg_scope import Scope, arg_scope
from troupe._src.contrib.batch_norm import batch_norm
from troupe._src.contrib.layers import avg_pool2d, dropout, fully_connected, max_pool2d
from troupe._src.contrib.regularizers import l2_regularizer, variance_scaling_initializer
from troupe._src.graph.elements import Tensor
from troupe._src.model_layers.convolutions import convolution2d
from troupe._src.ops import array_ops, gen_ops
from troupe._src.variables.initializers import TruncatedNormal
from troupe._src.variables.variable_store import variable_scope

Depth = Callable[[int], int]


class Layer(NamedTuple):
    """A convolution, or a pooling where it has no depth.

    Args:
        scope: Its scope, whose last part is the height and width of the window.
        depth: The channels of the result.
        arguments: Further arguments of the layer.
        window: The height and width of the window where the scope says others.
        mean: Whether a pooling whose scope begins with "MaxPool" is of the mean all the same.
    """

    scope: str
    depth: int = 0
    arguments: Dict[str, Any] = {}
    window: Optional[Sequence[int]] = None
    mean: bool = False

    def apply(self, net: Tensor, depth: Depth) -> Tensor:
        """The layer's result.

        Args:
            net: Images.
            depth: The channels for those of a layer.

        Returns:
            Images.
        """
        window = self.window or [int(each) for each in self.scope.rsplit("_", 1)[1].split("x")]
        given: Dict[str, Any] = {**self.arguments, "scope": self.scope}
        if self.depth:
            convolved: Tensor = convolution2d(net, depth(self.depth), window, **given)
            return convolved
        pool: Any = avg_pool2d if self.mean or self.scope.startswith("Avg") else max_pool2d
        pooled: Tensor = pool(net, window, **given)
        return pooled


# A branch has layers one after the other; those of a tuple among them are parallel.
Branch = Sequence[Union[Layer, Tuple[Layer, ...]]]
Part = Tuple[str, Union[Layer, List[Branch]]]


def conv(scope: str, depth: int, stddev: Optional[float] = None, **arguments: Any) -> Layer:
    """A convolution.

    Args:
        scope: Its scope.
        depth: The channels of the result.
        stddev: The standard deviation of the first weights; None for that of the arg scope.
        **arguments: Further arguments of the layer, and its `window`.

    Returns:
        The layer.
    """
    window = arguments.pop("window", None)
    if stddev is not None:
        arguments["weights_initializer"] = TruncatedNormal(stddev=stddev)
    return Layer(scope, depth, arguments, window)


def pooled(scope: str, **arguments: Any) -> Layer:
    """A pooling, of the mean or the greatest, as the scope begins.

    Args:
        scope: Its scope.
        **arguments: Arguments of the layer.

    Returns:
        The layer.
    """
    return Layer(scope, 0, arguments)


def built(
    net: Tensor, parts: Sequence[Part], last: str, depth: Depth, end_points: Dict[str, Tensor]
) -> Tuple[Tensor, bool]:
    """The parts one after the other, until that of the name.

    Args:
        net: Images.
        parts: The parts, each with its name.
        last: The name of the last part.
        depth: The channels for those of a layer.
        end_points: Gets the results by their names.

    Returns:
        The last result, and whether it is that of the name.
    """
    for name, part in parts:
        if isinstance(part, Layer):
            net = part.apply(net, depth)
        else:
            with variable_scope(name):
                net = array_ops.concat([_branch(net, *each, depth) for each in enumerate(part)], 3)
        end_points[name] = net
        if name == last:
            return net, True
    return net, False


def _branch(net: Tensor, index: int, branch: Branch, depth: Depth) -> Tensor:
    with variable_scope(f"Branch_{index}"):
        for layer in branch:
            if isinstance(layer, Layer):
                net = layer.apply(net, depth)
            else:
                net = array_ops.concat([each.apply(net, depth) for each in layer], 3)
        return net


def scaled(depth_multiplier: float, min_depth: int) -> Depth:
    """The channels of layers.

    Args:
        depth_multiplier: What all are multiplied by.
        min_depth: The least number.

    Returns:
        The function from the channels of a layer as described to those that it has.

    Raises:
        ValueError: Where the multiplier is not above zero.
    """
    if depth_multiplier <= 0:
        raise ValueError(f"depth_multiplier is not greater than zero: {depth_multiplier}")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def window_within(net: Tensor, window: Sequence[int]) -> List[int]:
    """The window, or the size of the images where that is known and smaller.

    Args:
        net: Images.
        window: A height and a width.

    Returns:
        A height and a width.
    """
    height, width = net.shape.as_list()[1:3]
    if height is None or width is None:
        return list(window)
    return [min(height, window[0]), min(width, window[1])]


def classified(
    net: Tensor, layers: Tuple[Layer, str, str], num_classes: int, keep_prob: float,
    squeezed: bool, end_points: Dict[str, Tensor], prediction_fn: Any = None,
) -> Tensor:  # fmt: skip
    """The logits of images, in the scope "Logits".

    Args:
        net: Images.
        layers: The pooling, and the scopes of the dropout and of the convolution.
        num_classes: The channels of the result.
        keep_prob: How many elements are kept.
        squeezed: Whether the result has no axes of space.
        end_points: Gets "PreLogits", the result before the convolution; with a function of
            predictions, "Logits" and "Predictions" instead.
        prediction_fn: Makes predictions in the same scope; None for none.

    Returns:
        The logits.
    """
    with variable_scope("Logits"):
        net = layers[0].apply(net, lambda depth: depth)
        net = dropout(net, keep_prob=keep_prob, scope=layers[1])
        if prediction_fn is None:
            end_points["PreLogits"] = net
        logits: Tensor = convolution2d(
            net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=layers[2]
        )
        if squeezed:
            logits = array_ops.squeeze(logits, [1, 2], name="SpatialSqueeze")
        if prediction_fn is not None:
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
        return logits


def normalized_scope(weight_decay: float, collection: str, **given: Any) -> Scope:
    """The arguments of layers of these networks, for `arg_scope`.

    Args:
        weight_decay: The factor of the loss of the weights.
        collection: That of the moving means and variances.
        **given: Further arguments of the normalization, all of them; without any, there is none.

    Returns:
        The scope.
    """
    variables = {"moving_mean": [collection], "moving_variance": [collection]}
    normalized: Dict[str, Any] = {}
    if given:
        given["variables_collections"] = {"beta": None, "gamma": None, **variables}
        normalized = given
    with arg_scope(
        [convolution2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)
    ):
        with arg_scope(
            [convolution2d], weights_initializer=variance_scaling_initializer(),
            activation_fn=gen_ops.relu, normalizer_fn=batch_norm if given else None,
            normalizer_params=normalized,
        ) as scope:  # fmt: skip
            return scope
