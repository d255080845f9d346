"""The ops of stochastic dual coordinate ascent."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.variables.ref_variable import add_reference
from troupe._src.variables.variable import Variable


class DualAscent(NamedTuple):
    """What a pass over a batch has changed."""

    out_example_state_data: Tensor
    out_delta_sparse_weights: List[Tensor]
    out_delta_dense_weights: List[Tensor]


def sdca_optimizer(
    sparse_example_indices: Sequence[TensorLike],
    sparse_feature_indices: Sequence[TensorLike],
    sparse_feature_values: Sequence[TensorLike],
    dense_features: Sequence[TensorLike],
    example_weights: TensorLike,
    example_labels: TensorLike,
    sparse_indices: Sequence[TensorLike],
    sparse_weights: Sequence[TensorLike],
    dense_weights: Sequence[TensorLike],
    example_state_data: TensorLike,
    loss_type: str,
    l1: float,
    l2: float,
    num_loss_partitions: int,
    num_inner_iterations: int,
    adaptative: bool = True,
    name: Optional[str] = None,
) -> DualAscent:
    """One pass of stochastic dual coordinate ascent over a batch, for a linear model.

    Args:
        sparse_example_indices: For each group of sparse features the examples that have them, a
            vector of int64 in their order.
        sparse_feature_indices: The features that they have, a vector of int64.
        sparse_feature_values: The values of these in the first groups, vectors of float32; those of
            other groups are 1.
        dense_features: Matrices of float32, a row for each example.
        example_weights: A vector of float32.
        example_labels: A vector of float32: 0 or 1 for two classes.
        sparse_indices: For each group the features that have weights here, a vector of int64.
        sparse_weights: Their weights, float32.
        dense_weights: The weights of the dense features, float32.
        example_state_data: What the pass before has made of the examples, float32, [examples, 4];
            zeros at first.
        loss_type: "logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss" or
            "poisson_loss".
        l1: The strength of L1 regularization.
        l2: The strength of L2 regularization.
        num_loss_partitions: How many such passes run at once.
        num_inner_iterations: Has no effect.
        adaptative: Whether examples that have more to learn from are likelier.

    Returns:
        A named tuple: the new state of the examples; what must be added to the weights of each
        group of sparse features; and to those of the dense ones.

    Raises:
        ValueError: There is no such loss, or the lists do not fit.
    """
    outputs = raw_ops.SdcaOptimizer(
        sparse_example_indices=sparse_example_indices,
        sparse_feature_indices=sparse_feature_indices,
        sparse_feature_values=sparse_feature_values,
        dense_features=dense_features,
        example_weights=example_weights,
        example_labels=example_labels,
        sparse_indices=sparse_indices,
        sparse_weights=sparse_weights,
        dense_weights=dense_weights,
        example_state_data=example_state_data,
        loss_type=loss_type,
        l1=l1,
        l2=l2,
        num_loss_partitions=num_loss_partitions,
        num_inner_iterations=num_inner_iterations,
        adaptative=adaptative,
        name=name,
    )
    return as_named(outputs, len(sparse_weights))


def as_named(outputs: List[Tensor], sparse_groups: int) -> DualAscent:
    """The outputs of a pass by their names."""
    deltas = outputs[1:]
    return DualAscent(outputs[0], deltas[:sparse_groups], deltas[sparse_groups:])


def sdca_fprint(input: TensorLike, name: Optional[str] = None) -> Tensor:
    """Fingerprints of strings, by which examples are told apart.

    Args:
        input: A vector of strings.

    Returns:
        A tensor of int64, [strings, 2]: the lower and the upper half of each. The lower one is
        never 0 or 1.
    """
    return raw_ops.SdcaFprint(input=input, name=name)


def sdca_shrink_l1(
    weights: Sequence[Any], l1: float, l2: float, name: Optional[str] = None
) -> Operation:
    """Moves weights towards 0 by `l1 / l2`, as L1 regularization does.

    Args:
        weights: Variables of float32, or references to some.
        l1: The strength of L1 regularization.
        l2: The strength of L2 regularization.

    Returns:
        The operation.
    """
    references = [
        add_reference(each) if isinstance(each, Variable) and not hasattr(each, "_ref") else each
        for each in weights
    ]
    return raw_ops.SdcaShrinkL1(weights=references, l1=l1, l2=l2, name=name)
