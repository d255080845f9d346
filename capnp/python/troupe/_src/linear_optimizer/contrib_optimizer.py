"""Dual ascent of the older linear estimators: `SDCAOptimizer`."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from troupe._src.contrib_columns.crossed import CrossedColumn
from troupe._src.contrib_columns.numbers import BucketizedColumn, RealValuedColumn
from troupe._src.contrib_columns.sparse import SparseColumn
from troupe._src.contrib_columns.weighted import WeightedSparseColumn
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.linear_optimizer.models import SdcaModel
from troupe._src.linear_optimizer.sparse_features import SparseFeatureColumn, distinct_features
from troupe._src.ops import array_ops, creation_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe.contrib.linear_optimizer")
class SDCAOptimizer:
    """Stochastic dual coordinate ascent, the `optimizer` of `tf.contrib.learn`'s linear models.

    Args:
        example_id_column: The name of the feature that tells examples apart, a vector of strings.
        num_loss_partitions: How many workers learn at once.
        num_table_shards: How many tables have the states of the examples, by default one.
        symmetric_l1_regularization: The strength of L1 regularization.
        symmetric_l2_regularization: The strength of L2 regularization, which is 1 at least.
        adaptive: Whether examples that have more to learn from are likelier.
        partitioner: Of the variables.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: Optional[int] = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = True,
        partitioner: Any = None,
    ) -> None:
        self._example_id_column = example_id_column
        self._num_loss_partitions = num_loss_partitions
        self._num_table_shards = num_table_shards
        self._l1 = symmetric_l1_regularization
        self._l2 = symmetric_l2_regularization
        self._adaptive = adaptive
        self._partitioner = partitioner

    def get_name(self) -> str:
        """Its name."""
        return "SDCAOptimizer"

    @property
    def example_id_column(self) -> str:
        """The name of the feature that tells examples apart."""
        return self._example_id_column

    @property
    def num_loss_partitions(self) -> int:
        """How many workers learn at once."""
        return self._num_loss_partitions

    @property
    def num_table_shards(self) -> Optional[int]:
        """How many tables have the states of the examples."""
        return self._num_table_shards

    @property
    def symmetric_l1_regularization(self) -> float:
        """The strength of L1 regularization."""
        return self._l1

    @property
    def symmetric_l2_regularization(self) -> float:
        """The strength of L2 regularization, as it was given."""
        return self._l2

    @property
    def adaptive(self) -> bool:
        """Whether examples that have more to learn from are likelier."""
        return self._adaptive

    @property
    def partitioner(self) -> Any:
        """What cuts the variables."""
        return self._partitioner

    def get_train_step(
        self,
        columns_to_variables: Dict[Any, List[Any]],
        weight_column_name: Optional[str],
        loss_type: str,
        features: Dict[Any, Any],
        targets: Any,
        global_step: Any,
    ) -> Tuple[SdcaModel, Operation]:
        """The model and the operation that learns from a batch.

        Args:
            columns_to_variables: The parts of the variable of each column of `tf.contrib.layers`.
            weight_column_name: The name of the feature of weights of examples, or None.
            loss_type: The loss, as of SdcaModel.
            features: The features by their names, and what columns make of them by the columns.
            targets: The labels.
            global_step: The variable that counts steps.

        Returns:
            The model, whose `update_weights` is to be run besides, and the operation.

        Raises:
            ValueError: A column is of another kind.
        """
        dense, sparse, weights = _features_of(columns_to_variables, features)
        labels = math_ops.cast(array_ops.reshape(targets, [-1]), dtypes.float32)
        examples = {
            "sparse_features": sparse,
            "dense_features": dense,
            "example_labels": labels,
            "example_weights": _weights_of(features, weight_column_name, labels),
            "example_ids": array_ops.reshape(features[self._example_id_column], [-1]),
        }
        options = {
            "symmetric_l1_regularization": self._l1,
            "symmetric_l2_regularization": self._l2,
            "adaptive": self._adaptive,
            "num_loss_partitions": self._num_loss_partitions,
            "num_table_shards": self._num_table_shards,
            "loss_type": loss_type,
        }
        model = SdcaModel(examples, weights, options)
        return model, model.minimize(global_step=global_step)


def _features_of(
    columns: Dict[Any, List[Any]], features: Dict[Any, Any]
) -> Tuple[List[Tensor], List[SparseFeatureColumn], Dict[str, List[Any]]]:
    """The dense and the sparse features of columns, and the variables of their weights."""
    dense: List[Tensor] = []
    sparse: List[SparseFeatureColumn] = []
    of_dense: List[Any] = []
    of_sparse: List[Any] = []
    for column in sorted(columns, key=lambda each: str(each.key)):
        made, parts = features[column], columns[column]
        if isinstance(column, RealValuedColumn):
            rows = array_ops.shape(made)[0]
            dense.append(array_ops.reshape(made, array_ops.stack([rows, -1])))
            of_dense.append(parts[0])
            continue
        sparse.append(_sparse_features(column, made))
        of_sparse.append(parts[0] if len(parts) == 1 else parts)
    weights = {"sparse_features_weights": of_sparse, "dense_features_weights": of_dense}
    return dense, sparse, weights


def _sparse_features(column: Any, made: Any) -> SparseFeatureColumn:
    if isinstance(column, BucketizedColumn):
        return distinct_features(column.to_sparse_tensor(made), None)
    if isinstance(column, (CrossedColumn, SparseColumn, WeightedSparseColumn)):
        weights = column.weight_tensor(made)
        given = None if weights is None else array_ops.reshape(weights.values, [-1])
        return distinct_features(column.id_tensor(made), given)
    raise ValueError(f"SDCAOptimizer does not support column type {type(column).__name__}.")


def _weights_of(features: Dict[Any, Any], name: Optional[str], labels: Tensor) -> Tensor:
    if name:
        given = convert_to_tensor(features[name])
        return math_ops.cast(array_ops.reshape(given, [-1]), dtypes.float32)
    return creation_ops.ones_like(labels)
