"""Sparse features of a batch of examples."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import boolean_mask
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe.contrib.linear_optimizer")
class SparseFeatureColumn:
    """The features that examples have, one after the other, in the order of the examples.

    Args:
        example_indices: The example of each, a vector of int64.
        feature_indices: The features, a vector of int64.
        feature_values: Their values, a vector of float32; None where all are 1.
    """

    def __init__(
        self,
        example_indices: TensorLike,
        feature_indices: TensorLike,
        feature_values: Optional[TensorLike],
    ) -> None:
        with name_scope(None, "SparseFeatureColumn"):
            self._examples = convert_to_tensor(
                example_indices, dtypes.int64, name="example_indices"
            )
            self._features = convert_to_tensor(
                feature_indices, dtypes.int64, name="feature_indices"
            )
            self._values: Optional[Tensor] = None
            if feature_values is not None:
                self._values = convert_to_tensor(
                    feature_values, dtypes.float32, name="feature_values"
                )

    @property
    def example_indices(self) -> Tensor:
        """The example of each feature."""
        return self._examples

    @property
    def feature_indices(self) -> Tensor:
        """The features."""
        return self._features

    @property
    def feature_values(self) -> Optional[Tensor]:
        """Their values, or None."""
        return self._values


def distinct_features(ids: SparseTensor, weights: Any) -> SparseFeatureColumn:
    """The categories of examples, each once, with the sum of its weights.

    Args:
        ids: The categories, a row for each example; those below 0 are none.
        weights: A vector with the weight of each, or None.

    Returns:
        The features.
    """
    examples = ids.indices[:, 0]
    features = math_ops.cast(array_ops.reshape(ids.values, [-1]), dtypes.int64)
    if weights is None:
        weights = creation_ops.ones([array_ops.shape(features)[0]], dtypes.float32)
    is_valid = features >= 0
    examples, features, weights = (
        boolean_mask(each, is_valid) for each in (examples, features, weights)
    )
    # One number for an example and a feature of it.
    width = math_ops.reduce_max(features) + 1
    pairs, place = gen_ops.unique(width * examples + features)
    sums = gen_ops.unsorted_segment_sum(weights, place, array_ops.shape(pairs)[0])
    return SparseFeatureColumn(pairs // width, pairs % width, sums)
