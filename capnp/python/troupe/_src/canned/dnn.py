"""Networks: `DNNClassifier`, `DNNRegressor`, and `DNNEstimator` with any head."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.canned.networks import Network, dnn_scope, partitioner_of
from troupe._src.canned.optimizers import optimizer_of
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.heads.checks import check_features
from troupe._src.heads.single_heads import class_head, number_head
from troupe._src.nn.losses import Reduction
from troupe._src.ops import gen_ops
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike

_RATE = 0.05


def dnn_model_fn(head: Any, network: Network, optimizer: Any) -> Callable[..., EstimatorSpec]:
    """The model function of a network with that head."""

    def model_fn(
        features: Dict[str, Any], labels: Any, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        check_features(features)
        chosen = optimizer_of(optimizer, _RATE)
        with dnn_scope(config):
            used = network._replace(partitioner=partitioner_of(network.partitioner, config))
            logits = used.logits(features, head.logits_dimension, mode)
            spec: EstimatorSpec = head.create_estimator_spec(
                features=features, mode=mode, labels=labels, optimizer=chosen, logits=logits
            )
            return spec

    return model_fn


@set_module("troupe.estimator")
class DNNClassifier(Estimator):
    """A classifier whose logits are those of a network of dense layers over columns.

    Args:
        hidden_units: How many neurons each layer has.
        feature_columns: The columns, of numbers.
        model_dir: As of Estimator.
        n_classes: How many classes there are.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        optimizer: An optimizer, a function that makes one, or a name.
        activation_fn: Of each layer but the last one.
        dropout: The probability of a neuron to be left out of a training step.
        input_layer_partitioner: Of the variables.
        config: As of Estimator.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.
        batch_norm: Whether each layer is normalized.

    Raises:
        ValueError: The number of classes, the vocabulary or the reduction is wrong.
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        optimizer: Any = "Adagrad",
        activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
        dropout: Optional[float] = None,
        input_layer_partitioner: Any = None,
        config: Optional[RunConfig] = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        network = Network(
            hidden_units, list(feature_columns), activation_fn, dropout, batch_norm,
            input_layer_partitioner,
        )  # fmt: skip
        model_fn = dnn_model_fn(head, network, optimizer)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@set_module("troupe.estimator")
class DNNRegressor(Estimator):
    """A regression by a network of dense layers over columns.

    Args:
        hidden_units: As of DNNClassifier.
        feature_columns: As of DNNClassifier.
        model_dir: As of Estimator.
        label_dimension: How many numbers a label has.
        weight_column: As of DNNClassifier.
        optimizer: As of DNNClassifier.
        activation_fn: As of DNNClassifier.
        dropout: As of DNNClassifier.
        input_layer_partitioner: As of DNNClassifier.
        config: As of Estimator.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.
        batch_norm: As of DNNClassifier.

    Raises:
        ValueError: The dimension or the reduction is wrong.
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
        dropout: Optional[float] = None,
        input_layer_partitioner: Any = None,
        config: Optional[RunConfig] = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = number_head(label_dimension, weight_column, loss_reduction)
        network = Network(
            hidden_units, list(feature_columns), activation_fn, dropout, batch_norm,
            input_layer_partitioner,
        )  # fmt: skip
        model_fn = dnn_model_fn(head, network, optimizer)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@set_module("troupe.estimator")
class DNNEstimator(Estimator):
    """A model of a head whose logits are those of a network of dense layers over columns.

    Args:
        head: The head, which has labels, losses and predictions.
        hidden_units: As of DNNClassifier.
        feature_columns: As of DNNClassifier.
        model_dir: As of Estimator.
        optimizer: As of DNNClassifier.
        activation_fn: As of DNNClassifier.
        dropout: As of DNNClassifier.
        input_layer_partitioner: As of DNNClassifier.
        config: As of Estimator.
        warm_start_from: As of Estimator.
        batch_norm: As of DNNClassifier.
    """

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None,
        optimizer: Any = "Adagrad",
        activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
        dropout: Optional[float] = None,
        input_layer_partitioner: Any = None,
        config: Optional[RunConfig] = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        network = Network(
            hidden_units, list(feature_columns), activation_fn, dropout, batch_norm,
            input_layer_partitioner,
        )  # fmt: skip
        model_fn = dnn_model_fn(head, network, optimizer)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)
