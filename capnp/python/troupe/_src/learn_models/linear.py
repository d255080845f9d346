"""Linear models: `LinearClassifier`, `LinearRegressor` and `LinearEstimator`."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from troupe._src.contrib.optimize_loss import OPTIMIZER_CLS_NAMES
from troupe._src.graph.graph import get_default_graph
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn_heads.head import Head
from troupe._src.learn_heads.kinds import multi_class_head, regression_head
from troupe._src.learn_models.logits import PART_BYTES_MIN, Linear, named_features, partitioner_of
from troupe._src.learn_models.sdca import sdca_model_fn, sdca_params
from troupe._src.linear_optimizer.contrib_optimizer import SDCAOptimizer
from troupe._src.learn_models.results import ClassEstimator, NumberEstimator
from troupe._src.ops.clip_ops import clip_by_global_norm
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.train.gradients import gradients
from troupe._src.train.optimizers import FtrlOptimizer
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable_store import variable_scope

_RATE = 0.2


def linear_model_fn(
    features: Any, labels: Any, mode: str, params: Dict[str, Any], config: Any = None
) -> ModelFnOps:
    """The model function of a weighted sum of columns."""
    head: Head = params["head"]
    columns = params["feature_columns"]
    features = named_features(features)
    partitioner = partitioner_of(config, PART_BYTES_MIN)
    with variable_scope("linear", partitioner=partitioner) as scope:
        model = Linear(columns, params.get("joint_weights", False))
        logits = model.logits(features, head.logits_dimension, scope)

        def train_op_fn(loss: Any) -> Any:
            variables = get_default_graph().get_collection("linear")
            found = gradients(loss, variables)
            clip_norm = params.get("gradient_clip_norm")
            if clip_norm:
                found, _ = clip_by_global_norm(found, clip_norm)
            optimizer = _optimizer(params.get("optimizer"), len(columns))
            pairs = list(zip(found, variables))
            return optimizer.apply_gradients(pairs, global_step=get_global_step())

        return head.create_model_fn_ops(
            features=features,
            mode=mode,
            labels=labels,
            train_op_fn=train_op_fn,
            logits=logits,
        )


def _optimizer(given: Any, column_count: int) -> Any:
    if not given:
        return FtrlOptimizer(learning_rate=min(_RATE, 1.0 / math.sqrt(column_count)))
    if isinstance(given, str):
        return OPTIMIZER_CLS_NAMES[given](learning_rate=_RATE)
    return given() if callable(given) else given


def _columns(given: Any) -> Any:
    if not given:
        raise ValueError("feature_columns must not be empty.")
    return tuple(given)


@set_module("troupe.contrib.learn")
class LinearClassifier(ClassEstimator):
    """A classifier whose logits are weighted sums of columns.

    Args:
        feature_columns: Columns of `tf.contrib.layers`, or all of `tf.feature_column`.
        model_dir: As of Estimator.
        n_classes: How many classes there are.
        weight_column_name: The name of the feature of weights of examples; None for none.
        optimizer: An optimizer, its name, or a function that makes one; by default Ftrl. Or
            `tf.contrib.linear_optimizer.SDCAOptimizer`.
        gradient_clip_norm: The norm that gradients are clipped to; None for none.
        enable_centered_bias: Whether a bias learns the mean of labels by itself.
        _joint_weight: Whether all categories have one variable.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.
        label_keys: The classes, where labels are strings.

    Raises:
        ValueError: There are no columns, or an option is wrong.
    """

    def __init__(
        self, feature_columns: Sequence[Any], model_dir: Optional[PathLike] = None,
        n_classes: int = 2, weight_column_name: Optional[str] = None, optimizer: Any = None,
        gradient_clip_norm: Optional[float] = None, enable_centered_bias: bool = False,
        _joint_weight: bool = False, config: Any = None,
        feature_engineering_fn: Optional[Callable[..., Any]] = None,
        label_keys: Optional[Sequence[Any]] = None,
    ) -> None:  # fmt: skip
        is_sdca = isinstance(optimizer, SDCAOptimizer)
        if is_sdca and enable_centered_bias:
            raise ValueError("enable_centered_bias is not supported with SDCA")
        head = multi_class_head(
            n_classes, weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias, label_keys=label_keys,
        )  # fmt: skip
        assert not is_sdca or n_classes == 2, "SDCA only applies to binary classification."
        model = _model(
            head, feature_columns, optimizer, gradient_clip_norm, _joint_weight, weight_column_name
        )
        super().__init__(model[0], model_dir, config, model[1], feature_engineering_fn)


@set_module("troupe.contrib.learn")
class LinearRegressor(NumberEstimator):
    """A regression by weighted sums of columns.

    Args:
        feature_columns: As of LinearClassifier.
        model_dir: As of Estimator.
        weight_column_name: As of LinearClassifier.
        optimizer: As of LinearClassifier.
        gradient_clip_norm: As of LinearClassifier.
        enable_centered_bias: As of LinearClassifier.
        label_dimension: How many numbers a label has.
        _joint_weights: As of LinearClassifier.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.

    Raises:
        ValueError: There are no columns, or an option is wrong.
    """

    def __init__(
        self, feature_columns: Sequence[Any], model_dir: Optional[PathLike] = None,
        weight_column_name: Optional[str] = None, optimizer: Any = None,
        gradient_clip_norm: Optional[float] = None, enable_centered_bias: bool = False,
        label_dimension: int = 1, _joint_weights: bool = False, config: Any = None,
        feature_engineering_fn: Optional[Callable[..., Any]] = None,
    ) -> None:  # fmt: skip
        is_sdca = isinstance(optimizer, SDCAOptimizer)
        if is_sdca and enable_centered_bias:
            enable_centered_bias = False
            logging.warning(
                "centered_bias is not supported with SDCA, please disable it explicitly."
            )
        head = regression_head(
            weight_column_name=weight_column_name, label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )  # fmt: skip
        assert not is_sdca or label_dimension == 1, "SDCA only applies for label_dimension=1."
        model = _model(
            head, feature_columns, optimizer, gradient_clip_norm, _joint_weights, weight_column_name
        )
        super().__init__(model[0], model_dir, config, model[1], feature_engineering_fn)


@set_module("troupe.contrib.learn")
class LinearEstimator(Estimator):
    """A model of weighted sums of columns, with any head.

    Args:
        feature_columns: As of LinearClassifier.
        head: A head of `tf.contrib.learn`.
        model_dir: As of Estimator.
        weight_column_name: Has no effect: the head has it.
        optimizer: As of LinearClassifier.
        gradient_clip_norm: As of LinearClassifier.
        _joint_weights: As of LinearClassifier.
        config: As of Estimator.
        feature_engineering_fn: As of Estimator.

    Raises:
        ValueError: There are no columns.
    """

    def __init__(
        self, feature_columns: Sequence[Any], head: Head, model_dir: Optional[PathLike] = None,
        weight_column_name: Optional[str] = None, optimizer: Any = None,
        gradient_clip_norm: Optional[float] = None, _joint_weights: bool = False,
        config: Any = None, feature_engineering_fn: Optional[Callable[..., Any]] = None,
    ) -> None:  # fmt: skip
        if isinstance(optimizer, SDCAOptimizer):
            raise ValueError("LinearEstimator does not support SDCA optimizer.")
        model = _model(head, feature_columns, optimizer, gradient_clip_norm, _joint_weights)
        super().__init__(model[0], model_dir, config, model[1], feature_engineering_fn)


def _model(
    head: Head, columns: Any, optimizer: Any, clip_norm: Optional[float], is_joint: bool,
    weight_column_name: Optional[str] = None,
) -> Tuple[Callable[..., ModelFnOps], Dict[str, Any]]:  # fmt: skip
    """The model function and its parameters."""
    if isinstance(optimizer, SDCAOptimizer):
        assert not is_joint, "_joint_weights is incompatible with SDCAOptimizer."
        return sdca_model_fn, sdca_params(head, _columns(columns), weight_column_name, optimizer)
    return linear_model_fn, {
        "head": head,
        "feature_columns": _columns(columns),
        "optimizer": optimizer,
        "gradient_clip_norm": clip_norm,
        "joint_weights": is_joint,
    }
