"""Adds conditions to a tensor of a batch."""

from __future__ import annotations

from troupe._src.contrib.layers import flatten, linear
from troupe._src.graph.elements import Tensor
from troupe._src.nn.embedding_ops import embedding_lookup
from troupe._src.ops import array_ops, reduction_ops
from troupe._src.variables.variable_scope import get_variable


def condition_tensor(tensor: Tensor, conditioning: Tensor) -> Tensor:
    """Adds a linear function of conditions to a tensor (arXiv:1609.03499).

    Args:
        tensor: [batch, ...], where all sizes but the batch's are known.
        conditioning: The conditions, [batch, ...], of rank 2 or more.

    Returns:
        A tensor of the shape of `tensor`.

    Raises:
        ValueError: A size is not known, or the conditions are of a rank below 2.
    """
    tensor.shape[1:].assert_is_fully_defined()
    features = tensor.shape[1:].num_elements()
    rank = conditioning.shape.ndims
    if rank is None or rank < 2:
        raise ValueError(f"conditioning must be at least 2D, but saw shape: {conditioning.shape}")
    assert features is not None
    mapped = linear(flatten(conditioning), features)
    if not mapped.shape.is_compatible_with(tensor.shape):
        is_known = tensor.shape.is_fully_defined()
        mapped = array_ops.reshape(mapped, tensor.shape if is_known else array_ops.shape(tensor))
    return tensor + mapped


def condition_tensor_from_onehot(
    tensor: Tensor, one_hot_labels: Tensor, embedding_size: int = 256
) -> Tensor:
    """Adds a linear function of the embeddings of classes to a tensor (arXiv:1609.03499).

    Args:
        tensor: [batch, ...], where all sizes but the batch's are known.
        one_hot_labels: The classes, [batch, classes], where the number of classes is known.
        embedding_size: The length of an embedding.

    Returns:
        A tensor of the shape of `tensor`.

    Raises:
        ValueError: A size is not known, or the labels are of another rank than 2.
    """
    one_hot_labels.shape.assert_has_rank(2)
    one_hot_labels.shape[1:].assert_is_fully_defined()
    table = get_variable("embedding", [one_hot_labels.shape[1], embedding_size])
    classes = reduction_ops.argmax(one_hot_labels, axis=1)
    return condition_tensor(tensor, embedding_lookup(table, classes, name="token_to_embedding"))
