"""The network of parallel branches with small windows and normalized batches (Inception v2)."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from troupe._src.contrib.arg_scope import Scope, arg_scope
from troupe._src.contrib.batch_norm import batch_norm
from troupe._src.contrib.layers import avg_pool2d, dropout, max_pool2d
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.model_layers.channelwise import separable_convolution2d
from troupe._src.model_layers.convolutions import convolution2d
from troupe._src.model_layers.stacks import softmax
from troupe._src.slim_nets.inception_layers import (
    Branch,
    Part,
    built,
    classified,
    conv,
    normalized_scope,
    pooled,
    scaled,
    window_within,
)
from troupe._src.variables.initializers import TruncatedNormal
from troupe._src.variables.variable_store import variable_scope

_FIRST = "Conv2d_1a_7x7"


def _mixed(
    first: int, second: Tuple[int, int], third: Tuple[int, int], fourth: int, pool: str = "Avg"
) -> List[Branch]:
    return [
        [conv("Conv2d_0a_1x1", first)],
        [conv("Conv2d_0a_1x1", second[0], 0.09), conv("Conv2d_0b_3x3", second[1])],
        [
            conv("Conv2d_0a_1x1", third[0], 0.09), conv("Conv2d_0b_3x3", third[1]),
            conv("Conv2d_0c_3x3", third[1]),
        ],
        [pooled(f"{pool}Pool_0a_3x3"), conv("Conv2d_0b_1x1", fourth, 0.1)],
    ]  # fmt: skip


def _halved(first: Tuple[int, int], second: Tuple[int, int]) -> List[Branch]:
    return [
        [conv("Conv2d_0a_1x1", first[0], 0.09), conv("Conv2d_1a_3x3", first[1], stride=2)],
        [
            conv("Conv2d_0a_1x1", second[0], 0.09), conv("Conv2d_0b_3x3", second[1]),
            conv("Conv2d_1a_3x3", second[1], stride=2),
        ],
        [pooled("MaxPool_1a_3x3", stride=2)],
    ]  # fmt: skip


_PARTS: List[Part] = [
    ("MaxPool_2a_3x3", pooled("MaxPool_2a_3x3", stride=2)),
    ("Conv2d_2b_1x1", conv("Conv2d_2b_1x1", 64, 0.1)),
    ("Conv2d_2c_3x3", conv("Conv2d_2c_3x3", 192)),
    ("MaxPool_3a_3x3", pooled("MaxPool_3a_3x3", stride=2)),
    ("Mixed_3b", _mixed(64, (64, 64), (64, 96), 32)),
    ("Mixed_3c", _mixed(64, (64, 96), (64, 96), 64)),
    ("Mixed_4a", _halved((128, 160), (64, 96))),
    ("Mixed_4b", _mixed(224, (64, 96), (96, 128), 128)),
    ("Mixed_4c", _mixed(192, (96, 128), (96, 128), 128)),
    ("Mixed_4d", _mixed(160, (128, 160), (128, 160), 96)),
    ("Mixed_4e", _mixed(96, (128, 192), (160, 192), 96)),
    ("Mixed_5a", _halved((128, 192), (192, 256))),
    ("Mixed_5b", _mixed(352, (192, 320), (160, 224), 128)),
    ("Mixed_5c", _mixed(352, (192, 320), (192, 224), 128, pool="Max")),
]


def inception_v2_base(
    inputs: Tensor, final_endpoint: str = "Mixed_5c", min_depth: int = 16,
    depth_multiplier: float = 1.0, scope: Any = None,
) -> Tuple[Tensor, Dict[str, Tensor]]:  # fmt: skip
    """The layers before the logits.

    Args:
        inputs: Images.
        final_endpoint: The name of the last part, such as "Conv2d_1a_7x7" or "Mixed_4a".
        min_depth: The least channels of a convolution.
        depth_multiplier: What the channels of all convolutions are multiplied by.
        scope: The scope of the variables.

    Returns:
        The result of the last part, and {name: result} of all parts.

    Raises:
        ValueError: Where no part has that name, or the multiplier is not above zero.
    """
    depth = scaled(depth_multiplier, min_depth)
    end_points: Dict[str, Tensor] = {}
    windows: Any = [convolution2d, max_pool2d, avg_pool2d, separable_convolution2d]
    with variable_scope(scope, "InceptionV2"):
        with arg_scope(windows, stride=1, padding="SAME"):
            # Of three channels, each has some convolutions of its own before all are mixed.
            net = separable_convolution2d(
                inputs, depth(64), [7, 7], depth_multiplier=min(int(depth(64) / 3), 8), stride=2,
                weights_initializer=TruncatedNormal(stddev=1.0), scope=_FIRST,
            )  # fmt: skip
            end_points[_FIRST] = net
            if final_endpoint == _FIRST:
                return net, end_points
            net, found = built(net, _PARTS, final_endpoint, depth, end_points)
    if not found:
        raise ValueError(f"Unknown final endpoint {final_endpoint}")
    return net, end_points


def inception_v2(
    inputs: Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.8, min_depth: int = 16, depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax, spatial_squeeze: bool = True,
    reuse: Optional[bool] = None, scope: Any = "InceptionV2",
) -> Tuple[Tensor, Dict[str, Tensor]]:  # fmt: skip
    """The network for classes.

    Args:
        inputs: Images, of 224 pixels to each side for a result of one pixel.
        num_classes: The channels of the result.
        is_training: Whether elements are dropped, and batches normalized by their own moments.
        dropout_keep_prob: How many elements are kept.
        min_depth: The least channels of a convolution.
        depth_multiplier: What the channels of all convolutions are multiplied by.
        prediction_fn: Makes the predictions of the logits; gets a `scope`, too.
        spatial_squeeze: Whether the result has no axes of space, each of which has one pixel.
        reuse: Whether the variables are those of an earlier call.
        scope: The scope of the variables.

    Returns:
        The logits, and {name: result} of all parts.

    Raises:
        ValueError: Where the multiplier is not above zero.
    """
    scaled(depth_multiplier, min_depth)
    with variable_scope(scope, "InceptionV2", reuse=reuse) as current:
        training: Any = [batch_norm, dropout]
        with arg_scope(training, is_training=is_training):
            net, end_points = inception_v2_base(
                inputs, scope=current, min_depth=min_depth, depth_multiplier=depth_multiplier
            )
            last = pooled("AvgPool_1a_{}x{}".format(*window_within(net, [7, 7])), padding="VALID")
            logits = classified(
                net, (last, "Dropout_1b", "Conv2d_1c_1x1"), num_classes, dropout_keep_prob,
                spatial_squeeze, {},
            )  # fmt: skip
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v2.default_image_size = 224  # type: ignore[attr-defined]


def inception_v2_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars"
) -> Scope:
    """The arguments of layers of `inception_v2`, for `arg_scope`.

    Args:
        weight_decay: The factor of the loss of the weights.
        batch_norm_var_collection: The collection of the moving means and variances.

    Returns:
        The scope.
    """
    return normalized_scope(
        weight_decay, batch_norm_var_collection, decay=0.9997, epsilon=0.001,
        updates_collections=GraphKeys.UPDATE_OPS,
    )  # fmt: skip
