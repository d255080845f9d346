"""Heads by the kind of their labels, and several heads as one."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.learn.keys import MetricKey, PredictionKey, ProblemType
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn_heads.classes import (
    BinaryLogisticHead,
    BinarySvmHead,
    ClassOptions,
    MultiClassHead,
    MultiLabelHead,
)
from troupe._src.learn_heads.head import Head, Predictions, SingleHead, check_mode, no_op_train_fn
from troupe._src.learn_heads.losses import mean_squared_loss, poisson_loss
from troupe._src.metrics.means import mean
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.summary.summary_ops import scalar
from troupe._src.variables.variable_store import variable_scope


class RegressionHead(SingleHead):
    """A head of numbers."""

    _default_scope = "regression_head"

    def __init__(
        self, loss_fn: Callable[..., Any], link_fn: Callable[[Any], Any], label_dimension: int,
        label_name: Optional[str], weight_column_name: Optional[str], enable_centered_bias: bool,
        head_name: Optional[str],
    ) -> None:  # fmt: skip
        super().__init__(
            ProblemType.LINEAR_REGRESSION, label_dimension, label_name, weight_column_name,
            head_name, enable_centered_bias, loss_fn,
        )  # fmt: skip
        self._link_fn = link_fn

    def _predictions(self, logits: Tensor) -> Predictions:
        key = PredictionKey.SCORES
        with name_scope(None, "predictions"):
            if self.logits_dimension == 1:
                logits = array_ops.squeeze(logits, axis=[1], name=key)
            return {key: self._link_fn(logits)}

    def _metrics(self, loss: Tensor, predictions: Predictions, labels: Any, weights: Any) -> Any:
        return {self._key(MetricKey.LOSS): mean(loss)}


def regression_head(
    label_name: Optional[str] = None, weight_column_name: Optional[str] = None,
    label_dimension: int = 1, enable_centered_bias: bool = False, head_name: Optional[str] = None,
    link_fn: Optional[Callable[[Any], Any]] = None,
) -> Head:  # fmt: skip
    """A head of numbers, whose loss is the mean of the squares of differences.

    Args:
        label_name: The name of its labels, where these are a dict.
        weight_column_name: The name of the feature of weights; None for none.
        label_dimension: How many numbers a label has.
        enable_centered_bias: Whether a bias learns the mean of labels by itself.
        head_name: Its name, among several heads.
        link_fn: Makes predictions of logits; None for the logits.

    Returns:
        The head.

    Raises:
        ValueError: The number is not positive.
    """
    return RegressionHead(
        mean_squared_loss, link_fn or array_ops.identity, label_dimension, label_name,
        weight_column_name, enable_centered_bias, head_name,
    )  # fmt: skip


def poisson_regression_head(
    label_name: Optional[str] = None, weight_column_name: Optional[str] = None,
    label_dimension: int = 1, enable_centered_bias: bool = False, head_name: Optional[str] = None,
) -> Head:  # fmt: skip
    """A head of counts, whose logits are the logarithms of rates.

    Args:
        label_name: As of `regression_head`.
        weight_column_name: As of `regression_head`.
        label_dimension: As of `regression_head`.
        enable_centered_bias: As of `regression_head`.
        head_name: As of `regression_head`.

    Returns:
        The head.

    Raises:
        ValueError: The number is not positive.
    """
    return RegressionHead(
        poisson_loss, gen_ops.exp, label_dimension, label_name, weight_column_name,
        enable_centered_bias, head_name,
    )  # fmt: skip


def multi_class_head(
    n_classes: int, label_name: Optional[str] = None, weight_column_name: Optional[str] = None,
    enable_centered_bias: bool = False, head_name: Optional[str] = None,
    thresholds: Optional[Sequence[float]] = None,
    metric_class_ids: Optional[Sequence[int]] = None,
    loss_fn: Optional[Callable[..., Any]] = None, label_keys: Optional[Sequence[Any]] = None,
) -> Head:  # fmt: skip
    """A head of classes, of which an example has one. For two there is one logit.

    Args:
        n_classes: How many classes there are.
        label_name: As of `regression_head`.
        weight_column_name: As of `regression_head`.
        enable_centered_bias: As of `regression_head`.
        head_name: As of `regression_head`.
        thresholds: Of the probability of the class 1 of two, for metrics; by default 0.5.
        metric_class_ids: The classes of more than two that have metrics of their own.
        loss_fn: The loss of `labels`, `logits` and `weights`, instead of a cross entropy.
        label_keys: The classes, where labels are strings and there are more than two.

    Returns:
        The head.

    Raises:
        ValueError: There are fewer than two classes, or an option does not go with as many.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    options = ClassOptions(
        label_name, weight_column_name, enable_centered_bias, head_name, thresholds,
        metric_class_ids, loss_fn, label_keys,
    )  # fmt: skip
    if n_classes > 2:
        return MultiClassHead(n_classes, options)
    if metric_class_ids:
        raise ValueError("metric_class_ids invalid for n_classes==2.")
    if label_keys:
        raise ValueError("label_keys is not supported for n_classes=2.")
    return BinaryLogisticHead(options)


def binary_svm_head(
    label_name: Optional[str] = None, weight_column_name: Optional[str] = None,
    enable_centered_bias: bool = False, head_name: Optional[str] = None,
    thresholds: Optional[Sequence[float]] = None,
) -> Head:  # fmt: skip
    """A head of two classes, whose loss is that of support vectors.

    Args:
        label_name: As of `regression_head`.
        weight_column_name: As of `regression_head`.
        enable_centered_bias: As of `regression_head`.
        head_name: As of `regression_head`.
        thresholds: Has no effect.

    Returns:
        The head.
    """
    return BinarySvmHead(
        ClassOptions(label_name, weight_column_name, enable_centered_bias, head_name, thresholds)
    )


def multi_label_head(
    n_classes: int, label_name: Optional[str] = None, weight_column_name: Optional[str] = None,
    enable_centered_bias: bool = False, head_name: Optional[str] = None,
    thresholds: Optional[Sequence[float]] = None,
    metric_class_ids: Optional[Sequence[int]] = None,
    loss_fn: Optional[Callable[..., Any]] = None,
) -> Head:  # fmt: skip
    """A head of classes, of which an example may have several.

    Args:
        n_classes: How many classes there are. Labels are 0 or 1 for each, or sparse numbers of
            classes.
        label_name: As of `regression_head`.
        weight_column_name: As of `regression_head`.
        enable_centered_bias: As of `regression_head`.
        head_name: As of `regression_head`.
        thresholds: Has no effect.
        metric_class_ids: The classes that have metrics of their own.
        loss_fn: As of `multi_class_head`.

    Returns:
        The head.

    Raises:
        ValueError: There are fewer than two classes, or no such class.
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    return MultiLabelHead(
        n_classes,
        ClassOptions(
            label_name, weight_column_name, enable_centered_bias, head_name, thresholds,
            metric_class_ids, loss_fn,
        ),
    )  # fmt: skip


class LossOnlyHead(Head):
    """A loss that is of no labels."""

    def __init__(self, loss_fn: Callable[[], Any], head_name: Optional[str]) -> None:
        self._loss_fn, self.head_name = loss_fn, head_name or "loss_only_head"

    @property
    def logits_dimension(self) -> int:
        return 0

    def create_model_fn_ops(
        self, features: Any, mode: str, labels: Any = None,
        train_op_fn: Optional[Callable[[Any], Any]] = None, logits: Any = None,
        logits_input: Any = None, scope: Any = None,
    ) -> ModelFnOps:  # fmt: skip
        check_mode(mode)
        loss, train_op = None, None
        if mode != ModeKeys.INFER:
            with variable_scope(scope, default_name=self.head_name):
                loss = self._loss_fn()
                loss = add_n(loss) if isinstance(loss, list) else loss
                with name_scope(None):
                    scalar(f"{MetricKey.LOSS}/{self.head_name}", array_ops.identity(loss))
                if mode == ModeKeys.TRAIN:
                    if train_op_fn is None:
                        raise ValueError("train_op_fn can not be None in TRAIN mode")
                    with name_scope(None, "train_op"):
                        train_op = train_op_fn(loss)
        return ModelFnOps(mode, {}, loss, train_op, {})


def loss_only_head(loss_fn: Callable[[], Any], head_name: Optional[str] = None) -> Head:
    """A head that adds a loss to those of others, such as that of a regularizer.

    Args:
        loss_fn: Gives the loss, or a list of losses.
        head_name: Its name.

    Returns:
        The head.
    """
    return LossOnlyHead(loss_fn, head_name)


def multi_head(heads: Sequence[Any], loss_weights: Optional[Sequence[float]] = None) -> Head:
    """Several heads as one, whose loss is the sum of theirs.

    Args:
        heads: Heads that have names. Labels are a dict, and so are predictions: by the names of the
            head and of the prediction.
        loss_weights: What each loss counts; None for 1.

    Returns:
        The head.

    Raises:
        ValueError: A head has no name, or there are not as many weights.
    """
    if loss_weights and len(loss_weights) != len(heads):
        raise ValueError("heads and loss_weights must have same size")
    return _MultiHead(list(heads), loss_weights)


class _MultiHead(Head):
    def __init__(self, heads: List[Any], weights: Optional[Sequence[float]]) -> None:
        if not all(head.head_name for head in heads):
            raise ValueError("Members of MultiHead must have names.")
        self._heads, self._weights = heads, weights

    @property
    def logits_dimension(self) -> int:
        return sum(head.logits_dimension for head in self._heads)

    def create_model_fn_ops(
        self, features: Any, mode: str, labels: Any = None,
        train_op_fn: Optional[Callable[[Any], Any]] = None, logits: Any = None,
        logits_input: Any = None, scope: Any = None,
    ) -> ModelFnOps:  # fmt: skip
        check_mode(mode)
        if mode == ModeKeys.TRAIN and train_op_fn is None:
            raise ValueError("train_op_fn can not be None in TRAIN mode.")
        options = {"train_op_fn": no_op_train_fn, "scope": scope}
        made = []
        for head, own in zip(self._heads, self._own_logits(logits)):
            given = {"logits_input": logits_input} if logits is None else {"logits": own}
            made.append(head.create_model_fn_ops(features, mode, labels, **given, **options))
        if mode == ModeKeys.INFER:
            return self._predicting(made)
        loss = self._total([each.loss for each in made])
        metrics = {key: value for each in made for key, value in each.eval_metric_ops.items()}
        if mode == ModeKeys.EVAL:
            return ModelFnOps(mode, self._named(made), loss, eval_metric_ops=metrics)
        assert train_op_fn is not None
        train_op = group(train_op_fn(loss), *(each.train_op for each in made))
        return ModelFnOps(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)

    def _own_logits(self, logits: Any) -> List[Any]:
        """The logits of each head."""
        if logits is None:
            return [None] * len(self._heads)
        if isinstance(logits, dict):
            return [
                None if isinstance(head, LossOnlyHead) else logits[head.head_name]
                for head in self._heads
            ]
        found: List[Any] = []
        given, begin = convert_to_tensor(logits), 0
        for head in self._heads:
            found.append(given[:, begin : begin + head.logits_dimension])
            begin += head.logits_dimension
        return found

    def _total(self, losses: List[Any]) -> Any:
        if self._weights:
            losses = [loss * weight for loss, weight in zip(losses, self._weights)]
        return add_n(losses)

    def _named(self, made: List[ModelFnOps]) -> Dict[Any, Any]:
        return {
            (head.head_name, key): value
            for head, each in zip(self._heads, made)
            for key, value in each.predictions.items()
        }

    def _predicting(self, made: List[ModelFnOps]) -> ModelFnOps:
        alternatives: Dict[Any, Any] = {}
        for each in made:
            alternatives.update(each.output_alternatives or {})
        return ModelFnOps(
            ModeKeys.INFER, self._named(made), output_alternatives=alternatives
        )
