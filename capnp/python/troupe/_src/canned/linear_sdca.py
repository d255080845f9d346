"""Linear models that are learned by dual ascent: `LinearSDCA`."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.contrib_columns.column import ContribColumn
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.estimator_heads.head import Head
from troupe._src.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    Transformed,
    VariableOptions,
)
from troupe._src.feature_columns.layers import flat_numbers, linear_model
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.heads.kinds import BinaryKind, RegressionKind
from troupe._src.linear_optimizer.hooks import UpdateWeightsHook
from troupe._src.linear_optimizer.models import DualAscentModel
from troupe._src.linear_optimizer.sparse_features import distinct_features
from troupe._src.ops import array_ops, creation_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import scalar
from troupe._src.train.global_step import get_global_step
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import variable_scope

# The scope of the variables of a linear model.
_MODEL = "linear_model"


@set_module("troupe.estimator.experimental")
class LinearSDCA:
    """Stochastic dual coordinate ascent, the `optimizer` of linear estimators.

    Columns of `tf.feature_column` and labels of two classes, or of one number, can be learned so.

    Args:
        example_id_column: The name of the feature that tells examples apart, a vector of strings.
        num_loss_partitions: How many workers learn at once.
        num_table_shards: How many tables have the states of the examples, by default one.
        symmetric_l1_regularization: The strength of L1 regularization, not negative.
        symmetric_l2_regularization: The strength of L2 regularization, positive.
        adaptive: Whether examples that have more to learn from are likelier.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: Optional[int] = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = False,
    ) -> None:
        self._example_id_column = example_id_column
        self._options: Dict[str, Any] = {
            "num_loss_partitions": num_loss_partitions,
            "num_table_shards": num_table_shards,
            "symmetric_l1_regularization": symmetric_l1_regularization,
            "symmetric_l2_regularization": symmetric_l2_regularization,
            "adaptive": adaptive,
        }

    def get_train_step(
        self,
        state_manager: Any,
        weight_column_name: Any,
        loss_type: str,
        feature_columns: Sequence[Any],
        features: Dict[str, Any],
        targets: Any,
        bias_var: Any,
        global_step: Any,
    ) -> Tuple[DualAscentModel, Operation]:
        """The model and the operation that learns from a batch.

        Args:
            state_manager: Its `get_variable(column, "weights")` is the variable of a column.
            weight_column_name: The name of the feature of weights of examples, or None.
            loss_type: "logistic_loss" or "squared_loss".
            feature_columns: The columns.
            features: The features by their names.
            targets: The labels.
            bias_var: The variable of the bias.
            global_step: The variable that counts steps.

        Returns:
            The model, whose `update_weights` is to be run besides, and the operation.

        Raises:
            ValueError: A column is of another kind.
        """
        labels = convert_to_tensor(targets)
        batch = array_ops.shape(labels)[0]
        dense, sparse, weights = _features_of(feature_columns, features, state_manager)
        dense.append(creation_ops.ones(array_ops.stack([batch, 1])))
        weights["dense_features_weights"].append(bias_var)
        examples = {
            "sparse_features": sparse,
            "dense_features": dense,
            "example_labels": math_ops.cast(array_ops.reshape(labels, [-1]), dtypes.float32),
            "example_weights": _weights_of(features, weight_column_name, batch),
            "example_ids": array_ops.reshape(features[self._example_id_column], [-1]),
        }
        model = DualAscentModel(examples, weights, {**self._options, "loss_type": loss_type})
        return model, model.minimize(global_step=global_step)


def _features_of(
    columns: Sequence[Any], features: Dict[str, Any], state_manager: Any
) -> Tuple[List[Any], List[Any], Dict[str, List[Any]]]:
    """The dense and the sparse features of columns, and the variables of their weights."""
    transformed = Transformed(features)
    dense: List[Any] = []
    sparse: List[Any] = []
    weights: Dict[str, List[Any]] = {"dense_features_weights": [], "sparse_features_weights": []}
    for column in sorted(columns, key=lambda each: each.name):
        if isinstance(column, CategoricalColumn):
            ids, given = column.ids_and_weights(transformed)
            sparse.append(distinct_features(ids, None if given is None else given.values))
            name = "sparse_features_weights"
        elif isinstance(column, DenseColumn):
            scope = getattr(state_manager, "scope", _MODEL)
            dense.append(_numbers_of(column, transformed, scope))
            name = "dense_features_weights"
        else:
            raise ValueError(f"LinearSDCA does not support column type {type(column).__name__}.")
        weights[name].append(state_manager.get_variable(column, "weights"))
    return dense, sparse, weights


def _numbers_of(column: Any, features: Transformed, scope: str) -> Tensor:
    rank = column.variable_shape.ndims
    if rank != 1:
        raise ValueError(f"Column {type(column).__name__} has rank {rank}, larger than 1.")
    # The variables of the column, where it has some, are those of the model.
    with variable_scope(scope, reuse=True), variable_scope(column._scope_name):
        return flat_numbers(column, column.dense_tensor(features, VariableOptions([], False)))


def _weights_of(features: Dict[str, Any], column: Any, batch: Tensor) -> Tensor:
    if column is None:
        return creation_ops.ones(array_ops.stack([batch]))
    given = convert_to_tensor(features[getattr(column, "key", column)])
    return math_ops.cast(array_ops.reshape(given, [-1]), dtypes.float32)


class _Variables:
    """The variables of a linear model by their columns."""

    def __init__(self, variables: Dict[Any, List[Any]], scope: str) -> None:
        self._variables = variables
        self.scope = scope

    def get_variable(self, column: Any, name: str) -> Any:
        """The variable of a column, or its parts."""
        parts = [each for each in self._variables[column] if _is_weight(each.op.name, name)]
        return parts[0] if len(parts) == 1 else parts


def _is_weight(variable: str, name: str) -> bool:
    return name in variable.split("/")[-2:]  # the last one may be the number of a part


def check_columns(
    optimizer: Any, columns: Sequence[Any], sparse_combiner: str, is_single: bool, error: str
) -> None:
    """ValueError where that optimizer cannot learn a model of columns with such labels."""
    if not isinstance(optimizer, LinearSDCA):
        return
    if sparse_combiner != "sum":
        raise ValueError('sparse_combiner must be "sum" when optimizer is a LinearSDCA object.')
    if any(isinstance(column, ContribColumn) for column in columns):
        raise ValueError("V2 feature columns required when optimizer is a LinearSDCA object.")
    if not is_single:
        raise ValueError(error)


def sdca_spec(
    head: Any,
    columns: Sequence[Any],
    optimizer: LinearSDCA,
    features: Dict[str, Any],
    labels: Any,
    mode: str,
) -> EstimatorSpec:
    """The spec of a linear model that `optimizer` learns, whose variables are in the current scope.

    Args:
        head: The head.
        columns: The columns.
        optimizer: What learns.
        features: The features by their names.
        labels: The labels, unless the mode predicts.
        mode: One of `ModeKeys`.

    Returns:
        The spec.

    Raises:
        ValueError: The head is of other labels.
    """
    kind = getattr(head, "kind", None)
    if isinstance(kind, RegressionKind) and kind.logits_dimension == 1:
        loss_type = "squared_loss"
    elif isinstance(kind, BinaryKind):
        loss_type = "logistic_loss"
    else:
        raise ValueError(f"Unsupported head type: {head}")
    # TensorFlow's checkpoints have the scope of the model twice with heads of `tf.estimator`.
    outer = "linear" if isinstance(head, Head) else ""
    variables: Dict[Any, Any] = {}
    with variable_scope(outer) if outer else contextlib.nullcontext():
        logits = linear_model(features, columns, cols_to_vars=variables)
    bias = variables["bias"][0]
    scalar("bias", bias[0])
    given = {"features": features, "mode": mode, "labels": labels, "logits": logits}
    if mode != ModeKeys.TRAIN:
        spec: EstimatorSpec = head.create_estimator_spec(**given)
        return spec
    named = _Variables(variables, f"{outer}/{_MODEL}" if outer else _MODEL)
    model, train_op = optimizer.get_train_step(
        named, head.options.weight_column, loss_type, columns, features, labels, bias,
        get_global_step(),
    )  # fmt: skip
    spec = head.create_estimator_spec(train_op_fn=lambda _: train_op, **given)
    hooks = (*spec.training_chief_hooks, UpdateWeightsHook(model, train_op))
    return spec._replace(training_chief_hooks=hooks)
