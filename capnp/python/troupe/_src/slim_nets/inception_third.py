"""The network of parallel branches with windows of one row or column (Inception v3)."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from troupe._src.contrib.arg_scope import Scope, arg_scope
from troupe._src.contrib.batch_norm import batch_norm
from troupe._src.contrib.layers import avg_pool2d, dropout, max_pool2d
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.model_layers.convolutions import convolution2d
from troupe._src.model_layers.stacks import softmax
from troupe._src.ops import array_ops
from troupe._src.slim_nets.inception_layers import (
    Branch,
    Depth,
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

_HALF: Dict[str, Any] = {"stride": 2, "padding": "VALID"}


def _small(fourth: int, names: Tuple[str, str] = ("Conv2d_0a_1x1", "Conv2d_0b_5x5")) -> Any:
    return [
        [conv("Conv2d_0a_1x1", 64)],
        [conv(names[0], 48), conv(names[1], 64)],
        [conv("Conv2d_0a_1x1", 64), conv("Conv2d_0b_3x3", 96), conv("Conv2d_0c_3x3", 96)],
        [pooled("AvgPool_0a_3x3"), conv("Conv2d_0b_1x1", fourth)],
    ]


def _split(depth: int) -> List[Branch]:
    """Windows of seven pixels in one direction, then in the other."""
    return [
        [conv("Conv2d_0a_1x1", 192)],
        [conv("Conv2d_0a_1x1", depth), conv("Conv2d_0b_1x7", depth), conv("Conv2d_0c_7x1", 192)],
        [
            conv("Conv2d_0a_1x1", depth), conv("Conv2d_0b_7x1", depth),
            conv("Conv2d_0c_1x7", depth), conv("Conv2d_0d_7x1", depth), conv("Conv2d_0e_1x7", 192),
        ],
        [pooled("AvgPool_0a_3x3"), conv("Conv2d_0b_1x1", 192)],
    ]  # fmt: skip


def _both(name: str) -> List[Branch]:
    """Windows of three pixels in both directions side by side."""
    return [
        [conv("Conv2d_0a_1x1", 320)],
        [conv("Conv2d_0a_1x1", 384), (conv("Conv2d_0b_1x3", 384), conv(name, 384))],
        [
            conv("Conv2d_0a_1x1", 448), conv("Conv2d_0b_3x3", 384),
            (conv("Conv2d_0c_1x3", 384), conv("Conv2d_0d_3x1", 384)),
        ],
        [pooled("AvgPool_0a_3x3"), conv("Conv2d_0b_1x1", 192)],
    ]  # fmt: skip


_FIRST: List[Part] = [
    ("Conv2d_1a_3x3", conv("Conv2d_1a_3x3", 32, stride=2)),
    ("Conv2d_2a_3x3", conv("Conv2d_2a_3x3", 32)),
    ("Conv2d_2b_3x3", conv("Conv2d_2b_3x3", 64, padding="SAME")),
    ("MaxPool_3a_3x3", pooled("MaxPool_3a_3x3", stride=2)),
    ("Conv2d_3b_1x1", conv("Conv2d_3b_1x1", 80)),
    ("Conv2d_4a_3x3", conv("Conv2d_4a_3x3", 192)),
    ("MaxPool_5a_3x3", pooled("MaxPool_5a_3x3", stride=2)),
]
# Checkpoints have some layers under the letters, or the windows, of others.
_MIXED: List[Part] = [
    ("Mixed_5b", _small(32)),
    ("Mixed_5c", _small(64, ("Conv2d_0b_1x1", "Conv_1_0c_5x5"))),
    ("Mixed_5d", _small(64)),
    (
        "Mixed_6a",
        [
            [conv("Conv2d_1a_1x1", 384, window=[3, 3], **_HALF)],
            [
                conv("Conv2d_0a_1x1", 64), conv("Conv2d_0b_3x3", 96),
                conv("Conv2d_1a_1x1", 96, window=[3, 3], **_HALF),
            ],
            [pooled("MaxPool_1a_3x3", **_HALF)],
        ],
    ),
    ("Mixed_6b", _split(128)),
    ("Mixed_6c", _split(160)),
    ("Mixed_6d", _split(160)),
    ("Mixed_6e", _split(192)),
    (
        "Mixed_7a",
        [
            [conv("Conv2d_0a_1x1", 192), conv("Conv2d_1a_3x3", 320, **_HALF)],
            [
                conv("Conv2d_0a_1x1", 192), conv("Conv2d_0b_1x7", 192),
                conv("Conv2d_0c_7x1", 192), conv("Conv2d_1a_3x3", 192, **_HALF),
            ],
            [pooled("MaxPool_1a_3x3", **_HALF)],
        ],
    ),
    ("Mixed_7b", _both("Conv2d_0b_3x1")),
    ("Mixed_7c", _both("Conv2d_0c_3x1")),
]  # fmt: skip


def _windows(padding: str) -> Any:
    layers: Any = [convolution2d, max_pool2d, avg_pool2d]
    return arg_scope(layers, stride=1, padding=padding)


def inception_v3_base(
    inputs: Tensor, final_endpoint: str = "Mixed_7c", min_depth: int = 16,
    depth_multiplier: float = 1.0, scope: Any = None,
) -> Tuple[Tensor, Dict[str, Tensor]]:  # fmt: skip
    """The layers before the logits.

    Args:
        inputs: Images.
        final_endpoint: The name of the last part, such as "Conv2d_1a_3x3" or "Mixed_6a".
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
    with variable_scope(scope, "InceptionV3"):
        with _windows("VALID"):
            net, found = built(inputs, _FIRST, final_endpoint, depth, end_points)
        if not found:
            with _windows("SAME"):
                net, found = built(net, _MIXED, final_endpoint, depth, end_points)
    if not found:
        raise ValueError(f"Unknown final endpoint {final_endpoint}")
    return net, end_points


def inception_v3(
    inputs: Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.8, min_depth: int = 16, depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax, spatial_squeeze: bool = True,
    reuse: Optional[bool] = None, scope: Any = "InceptionV3",
) -> Tuple[Tensor, Dict[str, Tensor]]:  # fmt: skip
    """The network for classes, with further logits of a part in its midst, "AuxLogits".

    Args:
        inputs: Images, of 299 pixels to each side for a result of one pixel.
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
    depth = scaled(depth_multiplier, min_depth)
    with variable_scope(scope, "InceptionV3", reuse=reuse) as current:
        training: Any = [batch_norm, dropout]
        with arg_scope(training, is_training=is_training):
            net, end_points = inception_v3_base(
                inputs, scope=current, min_depth=min_depth, depth_multiplier=depth_multiplier
            )
            end_points["AuxLogits"] = _auxiliary(
                end_points["Mixed_6e"], num_classes, depth, spatial_squeeze
            )
            last = pooled("AvgPool_1a_{}x{}".format(*window_within(net, [8, 8])), padding="VALID")
            logits = classified(
                net, (last, "Dropout_1b", "Conv2d_1c_1x1"), num_classes, dropout_keep_prob,
                spatial_squeeze, end_points,
            )  # fmt: skip
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v3.default_image_size = 299  # type: ignore[attr-defined]


def _auxiliary(net: Tensor, num_classes: int, depth: Depth, squeezed: bool) -> Tensor:
    with _windows("SAME"), variable_scope("AuxLogits"):
        net = avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
        net = convolution2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
        window = window_within(net, [5, 5])
        net = convolution2d(
            net, depth(768), window, weights_initializer=TruncatedNormal(stddev=0.01),
            padding="VALID", scope="Conv2d_2a_{}x{}".format(*window),
        )  # fmt: skip
        net = convolution2d(
            net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
            weights_initializer=TruncatedNormal(stddev=0.001), scope="Conv2d_2b_1x1",
        )  # fmt: skip
        return array_ops.squeeze(net, [1, 2], name="SpatialSqueeze") if squeezed else net


def inception_v3_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997, batch_norm_epsilon: float = 0.001,
    updates_collections: Any = GraphKeys.UPDATE_OPS, use_fused_batchnorm: bool = True,
) -> Scope:  # fmt: skip
    """The arguments of layers of `inception_v3`, for `arg_scope`.

    Args:
        weight_decay: The factor of the loss of the weights.
        batch_norm_var_collection: The collection of the moving means and variances.
        batch_norm_decay: How much of these stays with each step.
        batch_norm_epsilon: Is added to the variance.
        updates_collections: The collections of the ops that move these.
        use_fused_batchnorm: Whether a single op normalizes.

    Returns:
        The scope.
    """
    return normalized_scope(
        weight_decay, batch_norm_var_collection, decay=batch_norm_decay,
        epsilon=batch_norm_epsilon, updates_collections=updates_collections,
        fused=use_fused_batchnorm,
    )  # fmt: skip
