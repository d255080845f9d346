"""Networks: `DNNClassifier`, `DNNRegressor` and `DNNEstimator`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.contrib.optimize_loss import optimize_loss
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn_heads.head import Head
from troupe._src.learn_heads.kinds import multi_class_head, regression_head
from troupe._src.learn_models.logits import (
    Network,
    named_features,
    optimizer_of,
    partitioner_of,
)
from troupe._src.learn_models.results import ClassEstimator, NumberEstimator
from troupe._src.ops import gen_ops
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable_store import variable_scope

_RATE = 0.05


def dnn_model_fn(
    features: Any, labels: Any, mode: str, params: Dict[str, Any], config: Any = None
) -> ModelFnOps:
    """The model function of layers of neurons over columns."""
    head: Head = params["head"]
    features = named_features(features)
    network = Network(
        params["feature_columns"], params["hidden_units"], params.get("activation_fn"),
        params.get("dropout"), params.get("embedding_lr_multipliers"), "%s_",
        params.get("input_layer_min_slice_size"),
    )  # fmt: skip
    with variable_scope("dnn", partitioner=partitioner_of(config)):
        net, input_scope = network.inputs(features, config)
        logits = network.logits(net, head.logits_dimension, mode)

        def train_op_fn(loss: Any) -> Any:
            return optimize_loss(
                loss,
                get_global_step(),
                learning_rate=_RATE,
                optimizer=optimizer_of(params.get("optimizer") or "Adagrad"),
                gradient_multipliers=network.gradient_multipliers(input_scope),
                clip_gradients=params.get("gradient_clip_norm"),
                name="dnn",
                summaries=[],
            )

        return head.create_model_fn_ops(
            features=features,
            mode=mode,
            labels=labels,
            train_op_fn=train_op_fn,
            logits=logits,
        )


@set_module("troupe.contrib.learn")
class DNNClassifier(ClassEstimator):
    """A classifier whose logits are those of layers of neurons over columns.

    Args:
        hidden_units: How many neurons each layer has.
        feature_columns: Columns of numbers of `tf.contrib.layers`, or all of `tf.feature_column`.
        model_dir: As of Estimator.
        n_classes: How many classes there are.
        weight_column_name: The name of the feature of weights of examples; None for none.
        optimizer: An optimizer, its name, or a function that makes one; by default Adagrad.
        activation_fn: Of each layer but the last one: a function, "relu", "tanh" or "sigmoid".
        dropout: The probability of a neuron to be left out of a training step.
        gradient_clip_norm: The norm that gradients are clipped to; None for none.
        enable_centered_bias: Whether a bias learns the mean of labels by itself.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.
        embedding_lr_multipliers: A dict of what the gradients of columns of embeddings are
            multiplied by.
        input_layer_min_slice_size: How many bytes a part of a table has at least.
        label_keys: The classes, where labels are strings.

    Raises:
        ValueError: An option is wrong.
    """

    def __init__(
        self, hidden_units: Sequence[int], feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None, n_classes: int = 2,
        weight_column_name: Optional[str] = None, optimizer: Any = None,
        activation_fn: Any = gen_ops.relu, dropout: Optional[float] = None,
        gradient_clip_norm: Optional[float] = None, enable_centered_bias: bool = False,
        config: Any = None, feature_engineering_fn: Optional[Callable[..., Any]] = None,
        embedding_lr_multipliers: Optional[Dict[Any, float]] = None,
        input_layer_min_slice_size: Optional[int] = None,
        label_keys: Optional[Sequence[Any]] = None,
    ) -> None:  # fmt: skip
        head = multi_class_head(
            n_classes, weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias, label_keys=label_keys,
        )  # fmt: skip
        params = _params(
            head, hidden_units, feature_columns, optimizer, activation_fn, dropout,
            gradient_clip_norm, embedding_lr_multipliers, input_layer_min_slice_size,
        )  # fmt: skip
        super().__init__(dnn_model_fn, model_dir, config, params, feature_engineering_fn)


@set_module("troupe.contrib.learn")
class DNNRegressor(NumberEstimator):
    """A regression by layers of neurons over columns.

    Args:
        hidden_units: As of DNNClassifier.
        feature_columns: As of DNNClassifier.
        model_dir: As of Estimator.
        weight_column_name: As of DNNClassifier.
        optimizer: As of DNNClassifier.
        activation_fn: As of DNNClassifier.
        dropout: As of DNNClassifier.
        gradient_clip_norm: As of DNNClassifier.
        enable_centered_bias: As of DNNClassifier.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.
        label_dimension: How many numbers a label has.
        embedding_lr_multipliers: As of DNNClassifier.
        input_layer_min_slice_size: As of DNNClassifier.

    Raises:
        ValueError: An option is wrong.
    """

    def __init__(
        self, hidden_units: Sequence[int], feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None, weight_column_name: Optional[str] = None,
        optimizer: Any = None, activation_fn: Any = gen_ops.relu,
        dropout: Optional[float] = None, gradient_clip_norm: Optional[float] = None,
        enable_centered_bias: bool = False, config: Any = None,
        feature_engineering_fn: Optional[Callable[..., Any]] = None, label_dimension: int = 1,
        embedding_lr_multipliers: Optional[Dict[Any, float]] = None,
        input_layer_min_slice_size: Optional[int] = None,
    ) -> None:  # fmt: skip
        head = regression_head(
            weight_column_name=weight_column_name, label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )  # fmt: skip
        params = _params(
            head, hidden_units, feature_columns, optimizer, activation_fn, dropout,
            gradient_clip_norm, embedding_lr_multipliers, input_layer_min_slice_size,
        )  # fmt: skip
        super().__init__(dnn_model_fn, model_dir, config, params, feature_engineering_fn)


@set_module("troupe.contrib.learn")
class DNNEstimator(Estimator):
    """A model of layers of neurons over columns, with any head.

    Args:
        head: A head of `tf.contrib.learn`.
        hidden_units: As of DNNClassifier.
        feature_columns: As of DNNClassifier.
        model_dir: As of Estimator.
        optimizer: As of DNNClassifier.
        activation_fn: As of DNNClassifier.
        dropout: As of DNNClassifier.
        gradient_clip_norm: As of DNNClassifier.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.
        embedding_lr_multipliers: As of DNNClassifier.
        input_layer_min_slice_size: As of DNNClassifier.
    """

    def __init__(
        self, head: Head, hidden_units: Sequence[int], feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None, optimizer: Any = None,
        activation_fn: Any = gen_ops.relu, dropout: Optional[float] = None,
        gradient_clip_norm: Optional[float] = None, config: Any = None,
        feature_engineering_fn: Optional[Callable[..., Any]] = None,
        embedding_lr_multipliers: Optional[Dict[Any, float]] = None,
        input_layer_min_slice_size: Optional[int] = None,
    ) -> None:  # fmt: skip
        params = _params(
            head, hidden_units, feature_columns, optimizer, activation_fn, dropout,
            gradient_clip_norm, embedding_lr_multipliers, input_layer_min_slice_size,
        )  # fmt: skip
        super().__init__(dnn_model_fn, model_dir, config, params, feature_engineering_fn)


def _params(
    head: Head, hidden_units: Sequence[int], columns: Any, optimizer: Any, activation_fn: Any,
    dropout: Optional[float], clip_norm: Optional[float], multipliers: Any, min_slice_size: Any,
) -> Dict[str, Any]:  # fmt: skip
    return {
        "head": head,
        "hidden_units": hidden_units,
        "feature_columns": tuple(columns or ()),
        "optimizer": optimizer,
        "activation_fn": activation_fn,
        "dropout": dropout,
        "gradient_clip_norm": clip_norm,
        "embedding_lr_multipliers": multipliers,
        "input_layer_min_slice_size": min_slice_size,
    }
