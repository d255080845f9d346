"""The first network of parallel branches (Inception v1, or GoogLeNet)."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from troupe._src.contrib.arg_scope import Scope, arg_scope
from troupe._src.contrib.batch_norm import batch_norm
from troupe._src.contrib.layers import dropout, fully_connected, max_pool2d
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.model_layers.convolutions import convolution2d
from troupe._src.model_layers.stacks import softmax
from troupe._src.slim_nets.inception_layers import (
    Branch,
    Layer,
    Part,
    built,
    classified,
    conv,
    normalized_scope,
    pooled,
)
from troupe._src.variables.initializers import TruncatedNormal
from troupe._src.variables.variable_store import variable_scope


def _mixed(
    first: int, second: Tuple[int, int], third: Tuple[int, int], fourth: int, name: str = "b"
) -> List[Branch]:
    return [
        [conv("Conv2d_0a_1x1", first)],
        [conv("Conv2d_0a_1x1", second[0]), conv("Conv2d_0b_3x3", second[1])],
        [conv("Conv2d_0a_1x1", third[0]), conv(f"Conv2d_0{name}_3x3", third[1])],
        [pooled("MaxPool_0a_3x3"), conv("Conv2d_0b_1x1", fourth)],
    ]


_PARTS: List[Part] = [
    ("Conv2d_1a_7x7", conv("Conv2d_1a_7x7", 64, stride=2)),
    ("MaxPool_2a_3x3", pooled("MaxPool_2a_3x3", stride=2)),
    ("Conv2d_2b_1x1", conv("Conv2d_2b_1x1", 64)),
    ("Conv2d_2c_3x3", conv("Conv2d_2c_3x3", 192)),
    ("MaxPool_3a_3x3", pooled("MaxPool_3a_3x3", stride=2)),
    ("Mixed_3b", _mixed(64, (96, 128), (16, 32), 32)),
    ("Mixed_3c", _mixed(128, (128, 192), (32, 96), 64)),
    ("MaxPool_4a_3x3", pooled("MaxPool_4a_3x3", stride=2)),
    ("Mixed_4b", _mixed(192, (96, 208), (16, 48), 64)),
    ("Mixed_4c", _mixed(160, (112, 224), (24, 64), 64)),
    ("Mixed_4d", _mixed(128, (128, 256), (24, 64), 64)),
    ("Mixed_4e", _mixed(112, (144, 288), (32, 64), 64)),
    ("Mixed_4f", _mixed(256, (160, 320), (32, 128), 128)),
    ("MaxPool_5a_2x2", pooled("MaxPool_5a_2x2", stride=2)),
    # Checkpoints have this second layer of a branch under the letter of the first.
    ("Mixed_5b", _mixed(256, (160, 320), (32, 128), 128, name="a")),
    ("Mixed_5c", _mixed(384, (192, 384), (48, 128), 128)),
]
_LAST = Layer("MaxPool_0a_7x7", arguments={"stride": 1}, mean=True)


def inception_v1_base(
    inputs: Tensor, final_endpoint: str = "Mixed_5c", scope: Any = "InceptionV1"
) -> Tuple[Tensor, Dict[str, Tensor]]:
    """The layers before the logits.

    Args:
        inputs: Images.
        final_endpoint: The name of the last part, such as "Conv2d_1a_7x7" or "Mixed_4b".
        scope: The scope of the variables.

    Returns:
        The result of the last part, and {name: result} of all parts.

    Raises:
        ValueError: Where no part has that name.
    """
    end_points: Dict[str, Tensor] = {}
    windows: Any = [convolution2d, max_pool2d]
    weighted: Any = [convolution2d, fully_connected]
    with variable_scope(scope, "InceptionV1"):
        with arg_scope(weighted, weights_initializer=TruncatedNormal(stddev=0.01)):
            with arg_scope(windows, stride=1, padding="SAME"):
                net, found = built(inputs, _PARTS, final_endpoint, lambda depth: depth, end_points)
    if not found:
        raise ValueError(f"Unknown final endpoint {final_endpoint}")
    return net, end_points


def inception_v1(
    inputs: Tensor, num_classes: int = 1000, is_training: Any = True,
    dropout_keep_prob: float = 0.8, prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True, reuse: Optional[bool] = None, scope: Any = "InceptionV1",
) -> Tuple[Tensor, Dict[str, Tensor]]:  # fmt: skip
    """The network for classes.

    Args:
        inputs: Images, of 224 pixels to each side for a result of one pixel.
        num_classes: The channels of the result.
        is_training: Whether elements are dropped, and batches normalized by their own moments.
        dropout_keep_prob: How many elements are kept.
        prediction_fn: Makes the predictions of the logits; gets a `scope`, too.
        spatial_squeeze: Whether the result has no axes of space, each of which has one pixel.
        reuse: Whether the variables are those of an earlier call.
        scope: The scope of the variables.

    Returns:
        The logits, and {name: result} of all parts.
    """
    with variable_scope(scope, "InceptionV1", reuse=reuse) as current:
        training: Any = [batch_norm, dropout]
        with arg_scope(training, is_training=is_training):
            net, end_points = inception_v1_base(inputs, scope=current)
            logits = classified(
                net, (_LAST, "Dropout_0b", "Conv2d_0c_1x1"), num_classes, dropout_keep_prob,
                spatial_squeeze, end_points, prediction_fn,
            )  # fmt: skip
    return logits, end_points


inception_v1.default_image_size = 224  # type: ignore[attr-defined]


def inception_v1_arg_scope(
    weight_decay: float = 0.00004, use_batch_norm: bool = True,
    batch_norm_var_collection: str = "moving_vars",
) -> Scope:  # fmt: skip
    """The arguments of layers of `inception_v1`, for `arg_scope`.

    Args:
        weight_decay: The factor of the loss of the weights.
        use_batch_norm: Whether convolutions are followed by a normalization of the batch.
        batch_norm_var_collection: The collection of its moving means and variances.

    Returns:
        The scope.
    """
    given: Dict[str, Any] = {}
    if use_batch_norm:
        given = {"decay": 0.9997, "epsilon": 0.001, "updates_collections": GraphKeys.UPDATE_OPS}
    return normalized_scope(weight_decay, batch_norm_var_collection, **given)
