"""Models of one layer, whose predictions and losses a model function returns."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import name_scope
from troupe._src.nn.class_losses import softmax_cross_entropy
from troupe._src.nn.losses import mean_squared_error
from troupe._src.nn.nn_ops import softmax, xw_plus_b
from troupe._src.ops import array_ops, gen_ops
from troupe._src.summary.summary_ops import histogram
from troupe._src.variables.initializers import RandomNormal
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable


def mean_squared_error_regressor(
    tensor_in: Tensor, labels: Tensor, weights: Any, biases: Any, name: Optional[str] = None
) -> Tuple[Tensor, Tensor]:
    """A linear layer, and the mean of the squares of differences from labels.

    Args:
        tensor_in: Numbers, [batch, features].
        labels: Numbers, [batch] or [batch, outputs].
        weights: [features, outputs].
        biases: [outputs].
        name: The scope of the nodes.

    Returns:
        The predictions, of the shape of the labels, and the loss.
    """
    with name_scope(name, "mean_squared_error_regressor"):
        predictions = xw_plus_b(tensor_in, weights, biases)
        if labels.shape.rank == 1 and predictions.shape.rank == 2:
            predictions = array_ops.squeeze(predictions, axis=[1])
        return predictions, mean_squared_error(labels, predictions)


def softmax_classifier(
    tensor_in: Tensor, labels: Tensor, weights: Any, biases: Any, class_weight: Any = None,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The probabilities of classes by a linear layer, and the cross entropy of labels.

    Args:
        tensor_in: Numbers, [batch, features].
        labels: The probability of each class, [batch, classes].
        weights: [features, classes].
        biases: [classes].
        class_weight: What the logits of each class are multiplied by; None for 1.
        name: The scope of the nodes.

    Returns:
        The probabilities, [batch, classes], and the loss.
    """
    with name_scope(name, "softmax_classifier"):
        logits = xw_plus_b(tensor_in, weights, biases)
        if class_weight is not None:
            logits = gen_ops.multiply(logits, class_weight)
        return softmax(logits), softmax_cross_entropy(labels, logits)


def linear_regression(
    x: Tensor, y: Tensor, init_mean: Optional[float] = None, init_stddev: float = 1.0
) -> Tuple[Tensor, Tensor]:
    """A linear model of numbers, with the variables `weights` and `bias` in `linear_regression`.

    Args:
        x: Features, [batch, features].
        y: Labels, [batch] or [batch, outputs].
        init_mean: The mean of the first weights; None for the scope's default initializer.
        init_stddev: Their deviation.

    Returns:
        The predictions, of the shape of the labels, and the loss.
    """
    with variable_scope("linear_regression"):
        outputs = 1 if y.shape.rank == 1 else y.shape[1]
        weights, bias = _variables(x, y, outputs, init_mean, init_stddev)
        return mean_squared_error_regressor(x, y, weights, bias)


def logistic_regression(
    x: Tensor, y: Tensor, class_weight: Any = None, init_mean: Optional[float] = None,
    init_stddev: float = 1.0,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """A linear model of classes, with the variables `weights` and `bias` in `logistic_regression`.

    Args:
        x: Features, [batch, features].
        y: The probability of each class, [batch, classes], as one-hot labels have it.
        class_weight: What the logits of each class are multiplied by; by default the tensor
            "class_weight" of the graph, if there is one.
        init_mean: The mean of the first weights; None for the scope's default initializer.
        init_stddev: Their deviation.

    Returns:
        The probabilities, [batch, classes], and the loss.
    """
    with variable_scope("logistic_regression"):
        weights, bias = _variables(x, y, y.shape[-1], init_mean, init_stddev)
        if class_weight is None:
            try:
                class_weight = get_default_graph().get_tensor_by_name("class_weight:0")
            except KeyError:
                class_weight = None
        return softmax_classifier(x, y, weights, bias, class_weight)


def _variables(
    x: Tensor, y: Tensor, outputs: Any, mean: Optional[float], deviation: float
) -> Sequence[Any]:
    """The weights and the bias of the current scope, with summaries."""
    kind = x.dtype.base_dtype
    initializer = None if mean is None else RandomNormal(mean, deviation, dtype=kind)
    weights = get_variable("weights", [x.shape[1], outputs], kind, initializer)
    bias = get_variable("bias", [outputs], kind, initializer)
    scope = weights.op.name.rpartition("/")[0]
    for name, value in (("x", x), ("y", y), ("weights", weights), ("bias", bias)):
        histogram(f"{scope}.{name}", value)
    return weights, bias
