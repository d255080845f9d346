"""Networks beside linear models: `DNNLinearCombinedClassifier` and others."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe._src.contrib.optimize_loss import optimize_loss
from troupe._src.graph.graph import get_default_graph
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn_heads.head import Head
from troupe._src.learn_heads.kinds import multi_class_head, regression_head
from troupe._src.learn_models.logits import (
    PART_BYTES_MIN,
    Linear,
    Network,
    named_features,
    optimizer_of,
    partitioner_of,
    summarize,
)
from troupe._src.learn_models.results import ClassEstimator, NumberEstimator
from troupe._src.ops import gen_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.train.sync_replicas import SyncReplicasOptimizer
from troupe._src.types.paths import PathLike
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.variable_store import variable_scope

_DNN_RATE = 0.05
_LINEAR_RATE_MAX = 0.2


def combined_model_fn(
    features: Any, labels: Any, mode: str, params: Dict[str, Any], config: Any = None
) -> ModelFnOps:
    """The model function of a network and a weighted sum, whose logits are added."""
    head: Head = params["head"]
    features = named_features(features)
    logits, parts = [], []
    if params.get("dnn_feature_columns"):
        dnn, step = _network(features, mode, params, config)
        logits.append(dnn)
        parts.append(step)
    if params.get("linear_feature_columns"):
        linear, step = _linear(features, params, config)
        logits.append(linear)
        parts.append(step)
    total = logits[0] if len(logits) == 1 else logits[0] + logits[1]

    def train_op_fn(loss: Any) -> Any:
        steps = group(*(part(loss) for part in parts))
        if not params.get("fix_global_step_increment_bug", True):
            return steps
        with get_default_graph().control_dependencies([steps]):
            return assign_add(get_global_step(), 1).op

    return head.create_model_fn_ops(
        features=features,
        mode=mode,
        labels=labels,
        train_op_fn=train_op_fn,
        logits=total,
    )


def _network(features: Any, mode: str, params: Dict[str, Any], config: Any) -> Any:
    """The logits of the network, and what makes its step of a loss."""
    if not params.get("dnn_hidden_units"):
        raise ValueError(
            "dnn_hidden_units must be defined when dnn_feature_columns is specified."
        )
    network = Network(
        params["dnn_feature_columns"], params["dnn_hidden_units"],
        params.get("dnn_activation_fn") or gen_ops.relu, params.get("dnn_dropout"),
        params.get("embedding_lr_multipliers"), "%s/", None, params.get("input_layer_partitioner"),
    )  # fmt: skip
    optimizer = _optimizer(params.get("dnn_optimizer") or "Adagrad")
    with variable_scope("dnn", partitioner=partitioner_of(config)):
        net, input_scope = network.inputs(features, config)
        logits = network.logits(net, params["head"].logits_dimension, mode)

    def step(loss: Any) -> Any:
        multipliers = network.gradient_multipliers(input_scope)
        return _step(loss, params, "dnn", _DNN_RATE, optimizer, multipliers)

    return logits, step


def _linear(features: Any, params: Dict[str, Any], config: Any) -> Any:
    """The logits of the weighted sum, and what makes its step of a loss."""
    columns = params["linear_feature_columns"]
    optimizer = _optimizer(params.get("linear_optimizer") or "Ftrl")
    rate = min(_LINEAR_RATE_MAX, 1.0 / math.sqrt(len(columns)))
    with variable_scope("linear", partitioner=partitioner_of(config, PART_BYTES_MIN)) as scope:
        model = Linear(columns, bool(params.get("joint_linear_weights")))
        logits = model.logits(features, params["head"].logits_dimension, scope)
        summarize(logits, f"{scope.name}/")
    return logits, lambda loss: _step(loss, params, "linear", rate, optimizer, None)


def _step(
    loss: Any, params: Dict[str, Any], name: str, rate: float, optimizer: Any, multipliers: Any
) -> Any:
    return optimize_loss(
        loss,
        get_global_step(),
        learning_rate=rate,
        optimizer=optimizer,
        gradient_multipliers=multipliers,
        clip_gradients=params.get("gradient_clip_norm"),
        variables=get_default_graph().get_collection(name),
        name=name,
        summaries=[],
        # Each part counts the step, unless it is counted once for both.
        increment_global_step=not params.get("fix_global_step_increment_bug", True),
    )


def _optimizer(given: Any) -> Any:
    made = optimizer_of(given)
    if isinstance(made, SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer is not supported in DNNLinearCombined model. If you want to use "
            "this optimizer, please use either DNN or Linear model."
        )
    return made


class _Parts:
    """The options of both parts, as the constructors of estimators take them."""

    def __init__(
        self, linear_columns: Any, linear_optimizer: Any, is_joint: bool, dnn_columns: Any,
        dnn_optimizer: Any, hidden_units: Any, activation_fn: Any, dropout: Any, clip_norm: Any,
        multipliers: Any, is_step_counted_once: bool, partitioner: Any,
    ) -> None:  # fmt: skip
        linear: List[Any] = list(linear_columns or [])
        dnn: List[Any] = list(dnn_columns or [])
        if not linear and not dnn:
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be defined."
            )
        self.params: Dict[str, Any] = {
            "linear_feature_columns": linear,
            "linear_optimizer": linear_optimizer,
            "joint_linear_weights": is_joint,
            "dnn_feature_columns": dnn,
            "dnn_optimizer": dnn_optimizer,
            "dnn_hidden_units": hidden_units,
            "dnn_activation_fn": activation_fn,
            "dnn_dropout": dropout,
            "gradient_clip_norm": clip_norm,
            "embedding_lr_multipliers": multipliers,
            "fix_global_step_increment_bug": is_step_counted_once,
            "input_layer_partitioner": partitioner,
        }


def _slices(config: Any, min_slice_size: Optional[int]) -> Any:
    return None if min_slice_size is None else partitioner_of(config, min_slice_size)


@set_module("troupe.contrib.learn")
class DNNLinearCombinedEstimator(Estimator):
    """A model of a network and weighted sums, with any head.

    Args:
        head: A head of `tf.contrib.learn`.
        model_dir: As of Estimator.
        linear_feature_columns: As of DNNLinearCombinedClassifier, and so are the others.
        linear_optimizer: As there.
        _joint_linear_weights: As there.
        dnn_feature_columns: As there.
        dnn_optimizer: As there.
        dnn_hidden_units: As there.
        dnn_activation_fn: As there.
        dnn_dropout: As there.
        gradient_clip_norm: As there.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.
        embedding_lr_multipliers: As there.
        fix_global_step_increment_bug: As there.
        input_layer_partitioner: Of the tables of the network's columns.

    Raises:
        ValueError: There are no columns.
    """

    def __init__(
        self, head: Head, model_dir: Optional[PathLike] = None,
        linear_feature_columns: Optional[Sequence[Any]] = None, linear_optimizer: Any = None,
        _joint_linear_weights: bool = False, dnn_feature_columns: Optional[Sequence[Any]] = None,
        dnn_optimizer: Any = None, dnn_hidden_units: Optional[Sequence[int]] = None,
        dnn_activation_fn: Any = None, dnn_dropout: Optional[float] = None,
        gradient_clip_norm: Optional[float] = None, config: Any = None,
        feature_engineering_fn: Optional[Callable[..., Any]] = None,
        embedding_lr_multipliers: Optional[Dict[Any, float]] = None,
        fix_global_step_increment_bug: bool = False, input_layer_partitioner: Any = None,
    ) -> None:  # fmt: skip
        parts = _Parts(
            linear_feature_columns, linear_optimizer, _joint_linear_weights, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, gradient_clip_norm,
            embedding_lr_multipliers, fix_global_step_increment_bug, input_layer_partitioner,
        )  # fmt: skip
        params = {"head": head, **parts.params}
        super().__init__(combined_model_fn, model_dir, config, params, feature_engineering_fn)


@set_module("troupe.contrib.learn")
class DNNLinearCombinedClassifier(ClassEstimator):
    """A classifier whose logits are the sums of those of a linear model and of a network.

    Args:
        model_dir: As of Estimator.
        n_classes: How many classes there are.
        weight_column_name: The name of the feature of weights of examples; None for none.
        linear_feature_columns: The columns of the linear model, of `tf.contrib.layers`, or all of
            `tf.feature_column`.
        linear_optimizer: Its optimizer, a name, or a function that makes one; by default Ftrl.
        _joint_linear_weights: Whether all categories have one variable.
        dnn_feature_columns: The columns of the network, of numbers.
        dnn_optimizer: Its optimizer; by default Adagrad.
        dnn_hidden_units: How many neurons each of its layers has.
        dnn_activation_fn: Of each layer but the last one.
        dnn_dropout: The probability of a neuron to be left out of a training step.
        gradient_clip_norm: The norm that gradients are clipped to; None for none.
        enable_centered_bias: Whether a bias learns the mean of labels by itself.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.
        embedding_lr_multipliers: A dict of what the gradients of columns of embeddings are
            multiplied by.
        input_layer_min_slice_size: How many bytes a part of a table has at least.
        label_keys: The classes, where labels are strings.
        fix_global_step_increment_bug: Whether a step is counted once; False counts it for each
            part, as older programs expect.

    Raises:
        ValueError: There are no columns, or an option is wrong.
    """

    def __init__(
        self, model_dir: Optional[PathLike] = None, n_classes: int = 2,
        weight_column_name: Optional[str] = None,
        linear_feature_columns: Optional[Sequence[Any]] = None, linear_optimizer: Any = None,
        _joint_linear_weights: bool = False, dnn_feature_columns: Optional[Sequence[Any]] = None,
        dnn_optimizer: Any = None, dnn_hidden_units: Optional[Sequence[int]] = None,
        dnn_activation_fn: Any = gen_ops.relu, dnn_dropout: Optional[float] = None,
        gradient_clip_norm: Optional[float] = None, enable_centered_bias: bool = False,
        config: Any = None, feature_engineering_fn: Optional[Callable[..., Any]] = None,
        embedding_lr_multipliers: Optional[Dict[Any, float]] = None,
        input_layer_min_slice_size: Optional[int] = None,
        label_keys: Optional[Sequence[Any]] = None, fix_global_step_increment_bug: bool = False,
    ) -> None:  # fmt: skip
        head = multi_class_head(
            n_classes, weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias, label_keys=label_keys,
        )  # fmt: skip
        parts = _Parts(
            linear_feature_columns, linear_optimizer, _joint_linear_weights, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, gradient_clip_norm,
            embedding_lr_multipliers, fix_global_step_increment_bug,
            _slices(config, input_layer_min_slice_size),
        )  # fmt: skip
        params = {"head": head, **parts.params}
        super().__init__(combined_model_fn, model_dir, config, params, feature_engineering_fn)


@set_module("troupe.contrib.learn")
class DNNLinearCombinedRegressor(NumberEstimator):
    """A regression by the sum of a linear model and a network.

    Args:
        model_dir: As of Estimator.
        weight_column_name: As of DNNLinearCombinedClassifier, and so are the others.
        linear_feature_columns: As there.
        linear_optimizer: As there.
        _joint_linear_weights: As there.
        dnn_feature_columns: As there.
        dnn_optimizer: As there.
        dnn_hidden_units: As there.
        dnn_activation_fn: As there.
        dnn_dropout: As there.
        gradient_clip_norm: As there.
        enable_centered_bias: As there.
        label_dimension: How many numbers a label has.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.
        embedding_lr_multipliers: As there.
        input_layer_min_slice_size: As there.
        fix_global_step_increment_bug: As there.

    Raises:
        ValueError: There are no columns, or an option is wrong.
    """

    def __init__(
        self, model_dir: Optional[PathLike] = None, weight_column_name: Optional[str] = None,
        linear_feature_columns: Optional[Sequence[Any]] = None, linear_optimizer: Any = None,
        _joint_linear_weights: bool = False, dnn_feature_columns: Optional[Sequence[Any]] = None,
        dnn_optimizer: Any = None, dnn_hidden_units: Optional[Sequence[int]] = None,
        dnn_activation_fn: Any = gen_ops.relu, dnn_dropout: Optional[float] = None,
        gradient_clip_norm: Optional[float] = None, enable_centered_bias: bool = False,
        label_dimension: int = 1, config: Any = None,
        feature_engineering_fn: Optional[Callable[..., Any]] = None,
        embedding_lr_multipliers: Optional[Dict[Any, float]] = None,
        input_layer_min_slice_size: Optional[int] = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:  # fmt: skip
        head = regression_head(
            weight_column_name=weight_column_name, label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )  # fmt: skip
        parts = _Parts(
            linear_feature_columns, linear_optimizer, _joint_linear_weights, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, gradient_clip_norm,
            embedding_lr_multipliers, fix_global_step_increment_bug,
            _slices(config, input_layer_min_slice_size),
        )  # fmt: skip
        params = {"head": head, **parts.params}
        super().__init__(combined_model_fn, model_dir, config, params, feature_engineering_fn)
