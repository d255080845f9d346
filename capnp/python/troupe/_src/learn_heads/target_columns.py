"""What came before heads: targets with their losses, predictions and metrics."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.learn.keys import ProblemType
from troupe._src.learn_heads.measures import accuracy_at, area, mean_of, precision_at, recall_at
from troupe._src.metrics.means import accuracy, mean
from troupe._src.nn.cross_entropies import (
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from troupe._src.nn.nn_ops import softmax
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

_MODULE = "troupe.contrib.layers"
Loss = Callable[[Tensor, Tensor], Tensor]


class _TargetColumn:
    """A target of a model: how its logits are compared with it, and what they predict."""

    def __init__(
        self, loss_fn: Loss, size: int, label_name: Any, weight_column_name: Any, problem: int
    ) -> None:
        self._loss_fn, self._size, self._problem = loss_fn, size, problem
        self._label_name, self._weight_column_name = label_name, weight_column_name

    @property
    def label_name(self) -> Optional[str]:
        """The name of the target where there are several."""
        return self._label_name  # type: ignore[no-any-return]

    @property
    def weight_column_name(self) -> Optional[str]:
        """The name of the feature of the weights of examples."""
        return self._weight_column_name  # type: ignore[no-any-return]

    @property
    def num_label_columns(self) -> int:
        """The number of logits of an example."""
        return self._size

    @property
    def problem_type(self) -> int:
        """A number of `tf.contrib.learn.ProblemType`."""
        return self._problem

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """What logits predict.

        Args:
            logits: Floats, [batch, columns].
            proba: Whether these are probabilities of classes.
        """
        raise NotImplementedError

    def get_weight_tensor(self, features: Any) -> Optional[Tensor]:
        """The weights of examples, [batch], or None.

        Args:
            features: {name: tensor}.
        """
        if not self._weight_column_name:
            return None
        weights = math_ops.cast(features[self._weight_column_name], dtypes.float32)
        return array_ops.reshape(weights, (-1,))

    def _losses(self, logits: Tensor, target: Any, features: Any) -> Any:
        """The loss of each example, times its weight, and the weights."""
        losses = self._loss_fn(logits, target)
        weights = self.get_weight_tensor(features)
        if weights is not None:
            losses = gen_ops.multiply(array_ops.reshape(losses, (-1,)), weights)
        return losses, weights

    def training_loss(
        self, logits: Tensor, target: Any, features: Any, name: str = "training_loss"
    ) -> Tensor:
        """The mean of weighted losses, which an optimizer takes.

        Args:
            logits: Floats, [batch, columns].
            target: [batch] or [batch, columns].
            features: {name: tensor}, with the weights.
            name: Of the node.
        """
        return math_ops.reduce_mean(self._losses(logits, target, features)[0], name=name)

    def loss(self, logits: Tensor, target: Any, features: Any) -> Tensor:
        """The sum of weighted losses by the sum of weights, as `training_loss`."""
        losses, weights = self._losses(logits, target, features)
        if weights is None:
            return math_ops.reduce_mean(losses, name="loss")
        return math_ops.div(math_ops.reduce_sum(losses), math_ops.reduce_sum(weights), name="loss")

    def _run(self, predictions: Tensor, labels: Any, metrics: Any, features: Any) -> Any:
        weights = self.get_weight_tensor(features)
        truth = math_ops.cast(labels, predictions.dtype)
        options = {} if weights is None else {"weights": weights}
        return {
            name: metric(predictions, truth, **options) for name, metric in (metrics or {}).items()
        }


class _RegressionTargetColumn(_TargetColumn):
    """Numbers."""

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        return array_ops.squeeze(logits, axis=[1]) if self._size == 1 else logits

    def get_eval_ops(
        self, features: Any, logits: Tensor, labels: Any, metrics: Any = None
    ) -> Dict[str, Any]:
        """Metrics by name, each its value and the op that updates it.

        Args:
            features: {name: tensor}, with the weights.
            logits: Floats, [batch, columns].
            labels: [batch] or [batch, columns].
            metrics: {name: function of predictions, labels and weights}.
        """
        result: Dict[str, Any] = {"loss": mean(self.loss(logits, labels, features))}
        if metrics:
            result.update(self._run(self.logits_to_predictions(logits), labels, metrics, features))
        return result


class _MultiClassTargetColumn(_TargetColumn):
    """Numbers of classes."""

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        if self._size == 1:
            logits = array_ops.concat([creation_ops.zeros_like(logits), logits], 1)
        return softmax(logits) if proba else reduction_ops.argmax(logits, 1)

    def get_eval_ops(
        self, features: Any, logits: Tensor, labels: Any, metrics: Any = None
    ) -> Dict[str, Any]:
        """Metrics by name, each its value and the op that updates it.

        Args:
            features: {name: tensor}, with the weights.
            logits: Floats, [batch, columns].
            labels: Numbers of classes, [batch] or [batch, 1].
            metrics: {name or (name, "classes" or "probabilities"): function of predictions, labels
                and weights}; by default the accuracy.

        Raises:
            ValueError: A key is something else.
        """
        result: Dict[str, Any] = {"loss": mean(self.loss(logits, labels, features))}
        if self._size == 1:
            scores = gen_ops.sigmoid(logits)
            result.update(_binary_metrics(scores, math_ops.cast(labels, dtypes.float32)))
        chosen = {("accuracy", "classes"): _accuracy} if metrics is None else metrics
        kinds: Dict[str, Dict[str, Any]] = {"classes": {}, "probabilities": {}}
        for key, metric in chosen.items():
            name, kind = _name_and_kind(key)
            kinds[kind][name] = metric
        for kind, each in kinds.items():
            if each:
                predictions = self.logits_to_predictions(logits, proba=kind == "probabilities")
                result.update(self._run(predictions, labels, each, features))
        return result


@set_module(_MODULE)
def regression_target(
    label_name: Optional[str] = None,
    weight_column_name: Optional[str] = None,
    label_dimension: int = 1,
) -> Any:
    """A target of numbers, with the loss of squares.

    Args:
        label_name: The name of the target where there are several.
        weight_column_name: The feature of the weights of examples.
        label_dimension: How many numbers an example has.

    Returns:
        The target: `training_loss`, `loss`, `logits_to_predictions` and `get_eval_ops`.
    """
    return _RegressionTargetColumn(
        _squared, label_dimension, label_name, weight_column_name, ProblemType.LINEAR_REGRESSION
    )


@set_module(_MODULE)
def multi_class_target(
    n_classes: int, label_name: Optional[str] = None, weight_column_name: Optional[str] = None
) -> Any:
    """A target of numbers of classes, with the loss of the cross entropy.

    Args:
        n_classes: How many classes there are. Two have one logit.
        label_name: The name of the target where there are several.
        weight_column_name: The feature of the weights of examples.

    Returns:
        The target: `training_loss`, `loss`, `logits_to_predictions` and `get_eval_ops`.

    Raises:
        ValueError: There are fewer than two classes.
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    return _MultiClassTargetColumn(
        _two_classes if n_classes == 2 else _classes,
        1 if n_classes == 2 else n_classes,
        label_name,
        weight_column_name,
        ProblemType.CLASSIFICATION,
    )


def _column(target: Tensor) -> Tensor:
    return array_ops.expand_dims(target, axis=1) if target.shape.rank == 1 else target


def _squared(logits: Tensor, target: Tensor) -> Tensor:
    column = _column(target)
    logits.shape.assert_is_compatible_with(column.shape)
    return gen_ops.squared_difference(logits, math_ops.cast(column, dtypes.float32))


def _two_classes(logits: Tensor, target: Tensor) -> Tensor:
    labels = math_ops.cast(_column(target), dtypes.float32)
    return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)


def _classes(logits: Tensor, target: Tensor) -> Tensor:
    if not target.dtype.is_integer:
        raise ValueError(f"Target's dtype should be integer Instead got {target.dtype}.")
    labels = array_ops.squeeze(target, axis=[1]) if target.shape.rank == 2 else target
    return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def _accuracy(predictions: Any, labels: Any, weights: Any = None) -> Any:
    return accuracy(labels, predictions, weights)


def _binary_metrics(predictions: Tensor, labels: Tensor) -> Dict[str, Any]:
    return {
        "labels/prediction_mean": mean_of(predictions),
        "labels/actual_target_mean": mean_of(labels),
        "accuracy/baseline_target_mean": mean_of(labels),
        "auc": area(predictions, labels),
        f"accuracy/threshold_{0.5:f}_mean": accuracy_at(predictions, labels, None, 0.5),
        f"precision/positive_threshold_{0.5:f}_mean": precision_at(predictions, labels, None, 0.5),
        f"recall/positive_threshold_{0.5:f}_mean": recall_at(predictions, labels, None, 0.5),
    }


def _name_and_kind(key: Any) -> Any:
    if isinstance(key, str):
        return key, "classes"
    if not isinstance(key, tuple):
        raise ValueError(f"Ignoring metric {key}. Its name is not in the correct form.")
    if len(key) != 2:
        raise ValueError(
            f"Ignoring metric {key}. It returned a tuple with len {len(key)}, expected 2."
        )
    if key[1] not in ("classes", "probabilities"):
        raise ValueError(
            f"Ignoring metric {key}. The 2nd element of its name should be either 'classes' or "
            "'probabilities'."
        )
    return key
