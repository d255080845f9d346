"""Networks of convolutions of small windows, one after the other (VGG)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Sequence, Tuple

from troupe._src.contrib.aliases import convert_collection_to_dict
from troupe._src.contrib.arg_scope import Scope, arg_scope
from troupe._src.contrib.layers import dropout, fully_connected, max_pool2d
from troupe._src.contrib.regularizers import l2_regularizer
from troupe._src.graph.elements import Tensor
from troupe._src.model_layers.convolutions import convolution2d
from troupe._src.model_layers.stacks import repeat
from troupe._src.ops import array_ops, gen_ops
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope


def vgg_arg_scope(weight_decay: float = 0.0005) -> Scope:
    """The arguments of layers of these networks, for `arg_scope`.

    Args:
        weight_decay: The factor of the loss of the weights.

    Returns:
        The scope.
    """
    with arg_scope(
        [convolution2d, fully_connected], activation_fn=gen_ops.relu,
        weights_regularizer=l2_regularizer(weight_decay), biases_initializer=Zeros(),
    ):  # fmt: skip
        with arg_scope([convolution2d], padding="SAME") as scope:
            return scope


def _of_repetitions(name: str, counts: Sequence[int]) -> Callable[..., Any]:
    """The network with so many convolutions before each pooling."""

    def network(
        inputs: Tensor, num_classes: int = 1000, is_training: Any = True,
        dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: Any = name,
    ) -> Tuple[Tensor, Dict[str, Any]]:  # fmt: skip
        with variable_scope(scope, name) as current:
            collection = f"{current.original_name_scope}_end_points"
            layers: Any = [convolution2d, fully_connected, max_pool2d]
            with arg_scope(layers, outputs_collections=collection):
                net = inputs
                for index, (count, depth) in enumerate(zip(counts, (64, 128, 256, 512, 512))):
                    own = f"conv{index + 1}"
                    net = repeat(net, count, convolution2d, depth, [3, 3], scope=own)
                    net = max_pool2d(net, [2, 2], scope=f"pool{index + 1}")
                for own, window in (("6", 7), ("7", 1)):
                    padding = {"padding": "VALID"} if window > 1 else {}
                    net = convolution2d(net, 4096, [window] * 2, scope=f"fc{own}", **padding)
                    net = dropout(
                        net, dropout_keep_prob, is_training=is_training, scope=f"dropout{own}"
                    )
                net = convolution2d(
                    net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8"
                )
            found = convert_collection_to_dict(collection)
            if spatial_squeeze:
                net = array_ops.squeeze(net, [1, 2], name="fc8/squeezed")
                found[f"{current.name}/fc8"] = net
            return net, found

    network.__name__ = network.__qualname__ = name
    network.__doc__ = f"""A network of {sum(counts)} convolutions and three of all pixels.

    Args:
        inputs: Images, of 224 pixels to each side for a result of one pixel.
        num_classes: The channels of the result.
        is_training: Whether elements are dropped.
        dropout_keep_prob: How many of them are kept.
        spatial_squeeze: Whether the result has no axes of space, each of which has one pixel.
        scope: The scope of the variables.

    Returns:
        The result, and {{name: result}} of all layers.
    """
    network.default_image_size = 224  # type: ignore[attr-defined]
    return network


vgg_a = _of_repetitions("vgg_a", (1, 1, 2, 2, 2))
vgg_16 = _of_repetitions("vgg_16", (2, 2, 3, 3, 3))
vgg_19 = _of_repetitions("vgg_19", (2, 2, 4, 4, 4))
