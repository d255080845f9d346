"""Networks beside linear models: `DNNLinearCombinedClassifier` and the like."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from troupe._src.canned.networks import (
    Network,
    dnn_scope,
    linear_logits,
    partitioner_of,
    summarize,
)
from troupe._src.canned.optimizers import linear_rate, optimizer_of
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.heads.checks import check_features
from troupe._src.heads.single_heads import class_head, number_head
from troupe._src.nn.losses import Reduction
from troupe._src.ops import gen_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.train.optimizer import Optimizer
from troupe._src.train.sync_replicas import SyncReplicasOptimizer
from troupe._src.types.paths import PathLike
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.variable_store import variable_scope

_DNN_RATE = 0.001
_LINEAR_RATE_MAX = 0.005


class _Linear(NamedTuple):
    columns: Sequence[Any]
    optimizer: Any
    sparse_combiner: str


def _check_columns(linear: _Linear, network: Network) -> None:
    if not linear.columns and not network.columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")


def _optimizer(given: Any, rate: float) -> Optimizer:
    found = optimizer_of(given, rate)
    if isinstance(found, SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer does not support multi optimizers case. Therefore, it is not "
            "supported in DNNLinearCombined model. If you want to use this optimizer, please use "
            "either DNN or Linear model."
        )
    return found


class _Part(NamedTuple):
    """A part of the model with its own optimizer."""

    logits: Tensor
    optimizer: Optimizer
    scope: str

    def minimize(self, loss: Tensor) -> Any:
        graph = get_default_graph()
        variables = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, self.scope)
        return self.optimizer.minimize(loss, var_list=variables)


def _network_part(
    network: Network, optimizer: Any, features: Dict[str, Any], units: int, mode: str, config: Any
) -> _Part:
    chosen = _optimizer(optimizer, _DNN_RATE)
    if not network.hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    used = network._replace(partitioner=partitioner_of(network.partitioner, config))
    with dnn_scope(config) as scope:
        return _Part(used.logits(features, units, mode), chosen, scope.name)


def _linear_part(linear: _Linear, features: Dict[str, Any], units: int, cut: Any) -> _Part:
    chosen = _optimizer(linear.optimizer, linear_rate(linear.columns, _LINEAR_RATE_MAX))
    with variable_scope("linear", partitioner=cut) as scope:
        logits = linear_logits(features, linear.columns, units, linear.sparse_combiner)
        summarize(logits, scope.name)
        return _Part(logits, chosen, scope.name)


def _model_fn(
    head: Any, linear: _Linear, network: Network, dnn_optimizer: Any
) -> Callable[..., EstimatorSpec]:
    _check_columns(linear, network)

    def model_fn(
        features: Dict[str, Any], labels: Any, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        check_features(features)
        units, parts = head.logits_dimension, []
        if network.columns:
            parts.append(_network_part(network, dnn_optimizer, features, units, mode, config))
        if linear.columns:
            cut = partitioner_of(network.partitioner, config)
            parts.append(_linear_part(linear, features, units, cut))

        def train(loss: Tensor) -> Any:
            """Each part is trained by its own optimizer; then the step is counted, once."""
            trained = group(*(part.minimize(loss) for part in parts))
            with get_default_graph().control_dependencies([trained]):
                return assign_add(get_global_step(), 1).op

        logits = [part.logits for part in parts]
        total = logits[0] if len(logits) == 1 else logits[0] + logits[1]
        spec: EstimatorSpec = head.create_estimator_spec(
            features=features, mode=mode, labels=labels, train_op_fn=train, logits=total
        )
        return spec

    return model_fn


@set_module("troupe.estimator")
class DNNLinearCombinedClassifier(Estimator):
    """A classifier whose logits are the sums of those of a linear model and of a network.

    Args:
        model_dir: As of Estimator.
        linear_feature_columns: The columns of the linear model.
        linear_optimizer: Its optimizer: an object, a function that makes one, or a name.
        dnn_feature_columns: The columns of the network, of numbers.
        dnn_optimizer: Its optimizer.
        dnn_hidden_units: How many neurons each of its layers has.
        dnn_activation_fn: Of each layer but the last one.
        dnn_dropout: The probability of a neuron to be left out of a training step.
        n_classes: How many classes there are.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        input_layer_partitioner: Of the variables.
        config: As of Estimator.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.
        batch_norm: Whether each layer is normalized.
        linear_sparse_combiner: As of `tf.feature_column.linear_model`.

    Raises:
        ValueError: There are no columns, or an option is wrong.
    """

    def __init__(
        self,
        model_dir: Optional[PathLike] = None,
        linear_feature_columns: Optional[Sequence[Any]] = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Optional[Sequence[Any]] = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Optional[Sequence[int]] = None,
        dnn_activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
        dnn_dropout: Optional[float] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        input_layer_partitioner: Any = None,
        config: Optional[RunConfig] = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        linear = _Linear(
            list(linear_feature_columns or []), linear_optimizer, linear_sparse_combiner
        )
        network = Network(
            dnn_hidden_units or [], list(dnn_feature_columns or []), dnn_activation_fn,
            dnn_dropout, batch_norm, input_layer_partitioner,
        )  # fmt: skip
        model_fn = _model_fn(head, linear, network, dnn_optimizer)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@set_module("troupe.estimator")
class DNNLinearCombinedRegressor(Estimator):
    """A regression by the sum of a linear model and a network.

    Args:
        model_dir: As of Estimator.
        linear_feature_columns: As of DNNLinearCombinedClassifier.
        linear_optimizer: As of DNNLinearCombinedClassifier.
        dnn_feature_columns: As of DNNLinearCombinedClassifier.
        dnn_optimizer: As of DNNLinearCombinedClassifier.
        dnn_hidden_units: As of DNNLinearCombinedClassifier.
        dnn_activation_fn: As of DNNLinearCombinedClassifier.
        dnn_dropout: As of DNNLinearCombinedClassifier.
        label_dimension: How many numbers a label has.
        weight_column: As of DNNLinearCombinedClassifier.
        input_layer_partitioner: Of the variables.
        config: As of Estimator.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.
        batch_norm: Whether each layer is normalized.
        linear_sparse_combiner: As of `tf.feature_column.linear_model`.

    Raises:
        ValueError: There are no columns, or an option is wrong.
    """

    def __init__(
        self,
        model_dir: Optional[PathLike] = None,
        linear_feature_columns: Optional[Sequence[Any]] = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Optional[Sequence[Any]] = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Optional[Sequence[int]] = None,
        dnn_activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
        dnn_dropout: Optional[float] = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Any = None,
        config: Optional[RunConfig] = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        head = number_head(label_dimension, weight_column, loss_reduction)
        linear = _Linear(
            list(linear_feature_columns or []), linear_optimizer, linear_sparse_combiner
        )
        network = Network(
            dnn_hidden_units or [], list(dnn_feature_columns or []), dnn_activation_fn,
            dnn_dropout, batch_norm, input_layer_partitioner,
        )  # fmt: skip
        model_fn = _model_fn(head, linear, network, dnn_optimizer)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@set_module("troupe.estimator")
class DNNLinearCombinedEstimator(Estimator):
    """A model of a head whose logits are the sums of those of a linear model and of a network.

    Args:
        head: The head, which has labels, losses and predictions.
        model_dir: As of Estimator.
        linear_feature_columns: As of DNNLinearCombinedClassifier.
        linear_optimizer: As of DNNLinearCombinedClassifier.
        dnn_feature_columns: As of DNNLinearCombinedClassifier.
        dnn_optimizer: As of DNNLinearCombinedClassifier.
        dnn_hidden_units: As of DNNLinearCombinedClassifier.
        dnn_activation_fn: As of DNNLinearCombinedClassifier.
        dnn_dropout: As of DNNLinearCombinedClassifier.
        input_layer_partitioner: Of the variables.
        config: As of Estimator.
        linear_sparse_combiner: As of `tf.feature_column.linear_model`.

    Raises:
        ValueError: There are no columns.
    """

    def __init__(
        self,
        head: Any,
        model_dir: Optional[PathLike] = None,
        linear_feature_columns: Optional[Sequence[Any]] = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Optional[Sequence[Any]] = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Optional[Sequence[int]] = None,
        dnn_activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
        dnn_dropout: Optional[float] = None,
        input_layer_partitioner: Any = None,
        config: Optional[RunConfig] = None,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        linear = _Linear(
            list(linear_feature_columns or []), linear_optimizer, linear_sparse_combiner
        )
        network = Network(
            dnn_hidden_units or [], list(dnn_feature_columns or []), dnn_activation_fn,
            dnn_dropout, False, input_layer_partitioner,
        )  # fmt: skip
        super().__init__(_model_fn(head, linear, network, dnn_optimizer), model_dir, config)
