"""Networks beside linear models: `DNNLinearCombinedClassifier` and `...Regressor`."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from troupe._src.canned.heads import Head, RegressionHead, class_head
from troupe._src.canned.networks import Network, after_updates, linear_logits, partitioner_of
from troupe._src.canned.optimizers import linear_rate, optimizer_of
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.nn.losses import Reduction
from troupe._src.ops import gen_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.types.paths import PathLike
from troupe._src.variables.assign_ops import assign_add

DNN_RATE = 0.001
LINEAR_RATE_MAX = 0.005


class _Linear(NamedTuple):
    columns: Sequence[Any]
    optimizer: Any
    sparse_combiner: str


def _model_fn(
    head: Head, linear: _Linear, network: Network, dnn_optimizer: Any
) -> Callable[..., EstimatorSpec]:
    if not linear.columns and not network.columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if network.columns and not network.hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")

    def model_fn(
        features: Dict[str, Any], labels: Any, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        logits: List[Tensor] = []
        if network.columns:
            logits.append(network.logits(features, head.size, mode, config))
        if linear.columns:
            partitioner = partitioner_of(network.partitioner, config)
            logits.append(
                linear_logits(
                    features, linear.columns, head.size, linear.sparse_combiner, partitioner
                )
            )
        total = logits[0] if len(logits) == 1 else add_n(logits)
        return head.spec(features, labels, mode, total, after_updates(train))

    def train(loss: Tensor) -> Any:
        """Each part is trained by its own optimizer; then the step is counted, once."""
        graph, parts = get_default_graph(), []
        for columns, optimizer, rate, scope in (
            (network.columns, dnn_optimizer, DNN_RATE, "dnn"),
            (linear.columns, linear.optimizer, LINEAR_RATE_MAX, "linear"),
        ):
            if not columns:
                continue
            rate = linear_rate(columns, rate) if scope == "linear" else rate
            variables = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)
            parts.append(optimizer_of(optimizer, rate).minimize(loss, var_list=variables))
        with graph.control_dependencies([group(*parts)]):
            return assign_add(get_global_step(), 1).op

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
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        linear = _Linear(
            list(linear_feature_columns or []), linear_optimizer, linear_sparse_combiner
        )
        network = Network(
            dnn_hidden_units or [], list(dnn_feature_columns or []), dnn_activation_fn,
            dnn_dropout, batch_norm, input_layer_partitioner,
        )  # fmt: skip
        model_fn = _model_fn(head, linear, network, dnn_optimizer)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)
