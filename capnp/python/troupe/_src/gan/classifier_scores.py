"""Runs classifiers on images, and what their classes say about generated ones."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

from troupe._src.control_flow.functional import map_fn
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.image.resizing import resize_bilinear
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.platform.gfile import GFile
from troupe._src.types import dtypes

INCEPTION_DEFAULT_IMAGE_SIZE = 299


def preprocess_image(
    images: Tensor, height: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    width: int = INCEPTION_DEFAULT_IMAGE_SIZE, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """Images of numbers from 0 to 255 as an Inception network takes them.

    Args:
        images: An image [height, width, channels], or a batch of such.
        height: The height of the result.
        width: The width of the result.
        scope: The name scope.

    Returns:
        Images of floats from -1 to 1, of that size.
    """
    with name_scope(scope, "preprocess"):
        is_one = images.shape.ndims == 3
        if not images.dtype.is_floating:
            images = math_ops.cast(images, dtypes.float32)
        batch = array_ops.expand_dims(images, axis=0) if is_one else images
        resized = (resize_bilinear(batch, [height, width]) - 128.0) / 128.0
        return array_ops.squeeze(resized, axis=0) if is_one else resized


def get_graph_def_from_disk(filename: str) -> Any:
    """Reads a graph.

    Args:
        filename: The name of a file with a GraphDef.

    Returns:
        The GraphDef.
    """
    with GFile(filename, "rb") as file:
        return GraphDef.FromString(file.read())


def run_image_classifier(
    tensor: Tensor, graph_def: Any, input_tensor: str, output_tensor: Union[str, Sequence[str]],
    scope: str = "RunClassifier",
) -> Any:  # fmt: skip
    """Adds a network of a GraphDef.

    Args:
        tensor: Its input.
        graph_def: The GraphDef.
        input_tensor: The name of the tensor there that is the input, such as "images:0".
        output_tensor: The name of a result, or a list of names.
        scope: The name scope.

    Returns:
        The result, or a list.

    Raises:
        ValueError: There are no such names.
    """
    names = [output_tensor] if isinstance(output_tensor, str) else list(output_tensor)
    found = import_graph_def(graph_def, {input_tensor: tensor}, names, name=scope)
    assert found is not None
    return found[0] if isinstance(output_tensor, str) else found


def in_batches(images: Tensor, classifier_fn: Callable[[Tensor], Any], num_batches: int) -> Tensor:
    """What a classifier makes of images, of one part of them after the other."""
    parts = array_ops.stack(array_ops.split(images, num_or_size_splits=num_batches))
    outputs = map_fn(
        classifier_fn, parts, parallel_iterations=1, back_prop=False, swap_memory=True,
        name="RunClassifier",
    )  # fmt: skip
    return array_ops.concat(array_ops.unstack(outputs), 0)


def classifier_score(
    images: Tensor, classifier_fn: Callable[[Tensor], Any], num_batches: int = 1
) -> Tensor:
    """`classifier_score_from_logits` of the logits that a classifier gives.

    Args:
        images: Generated images.
        classifier_fn: Gives logits [batch, classes] of images.
        num_batches: Into how many parts the images are divided, which are classified one after the
            other.

    Returns:
        A scalar of the dtype of the images.
    """
    return classifier_score_from_logits(in_batches(images, classifier_fn, num_batches))


def classifier_score_from_logits(logits: Tensor) -> Tensor:
    """exp(mean KL(p(y|x) || p(y))), which is high for images that are clear and of many classes.

    With an Inception network it is the Inception Score (arXiv:1606.03498).

    Args:
        logits: Those of generated images, [images, classes].

    Returns:
        A scalar of the dtype of the logits, from 1 to the number of classes.

    Raises:
        ValueError: The logits are of another rank.
    """
    logits.shape.assert_has_rank(2)
    exact = math_ops.cast(logits, dtypes.float64)
    each = nn_ops.softmax(exact)
    mean = math_ops.reduce_mean(each, axis=0)
    divergences = math_ops.reduce_sum(
        each * (nn_ops.log_softmax(exact) - gen_ops.log(mean)), axis=1
    )
    return math_ops.cast(gen_ops.exp(math_ops.reduce_mean(divergences)), logits.dtype)
