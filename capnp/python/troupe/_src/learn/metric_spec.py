"""Metrics of the predictions and labels of a model, for evaluations of older estimators."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict, Optional, Tuple

from troupe._src.platform import logging
from troupe._src.set_module import set_module

# The names that functions have for each of their arguments, the usual one first.
_LABELS = ("labels", "label", "targets", "target")
_PREDICTIONS = ("predictions", "prediction", "logits", "logit")
_WEIGHTS = ("weights", "weight")


@set_module("troupe.contrib.learn")
class MetricSpec:
    """A metric, and which predictions, labels and weights it is of.

    Args:
        metric_fn: As those of `tf.metrics` and `tf.contrib.metrics`: gives `(value, update)`. Its
            arguments are named `predictions`, and as far as it has them `labels` and `weights`, or
            alike; the first one of no such name is that of predictions.
        prediction_key: The name of the predictions; None where there is one tensor.
        label_key: The name of the labels, likewise.
        weight_key: The name of the feature that has weights; None for none.

    Raises:
        ValueError: The function has no argument for labels or weights that are named, or several.
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: Optional[str] = None,
        label_key: Optional[str] = None,
        weight_key: Optional[str] = None,
    ) -> None:
        self._name = _name_of(metric_fn)
        self._metric_fn = _by_name(
            metric_fn, self._name, label_key is not None, weight_key is not None
        )
        self._prediction_key, self._label_key = prediction_key, label_key
        self._weight_key = weight_key

    @property
    def prediction_key(self) -> Optional[str]:
        """The name of the predictions."""
        return self._prediction_key

    @property
    def label_key(self) -> Optional[str]:
        """The name of the labels."""
        return self._label_key

    @property
    def weight_key(self) -> Optional[str]:
        """The name of the weights."""
        return self._weight_key

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """The function, which takes `labels`, `predictions` and `weights` by name."""
        return self._metric_fn

    def __str__(self) -> str:
        return (
            f"MetricSpec(metric_fn={self._name}, prediction_key={self.prediction_key}, "
            f"label_key={self.label_key}, weight_key={self.weight_key})"
        )

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Makes the metric.

        Args:
            inputs: The features, which may have the weights.
            labels: The labels.
            predictions: The predictions.

        Returns:
            What the function returns.

        Raises:
            ValueError: A name is missing for several tensors, or given for one.
            KeyError: There is no such name.
        """
        return self.metric_fn(
            predictions=_chosen("prediction", predictions, self.prediction_key),
            labels=_chosen("label", labels, self.label_key),
            weights=inputs[self.weight_key] if self.weight_key else None,
        )


def _name_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", function))


def _chosen(what: str, given: Any, key: Optional[str]) -> Any:
    if not key:
        if not isinstance(given, dict):
            return given
        if len(given) != 1:
            raise ValueError(
                f"MetricSpec without specified {what}_key requires {what}s tensor or single "
                f"element dict, got {given}"
            )
        return next(iter(given.values()))
    if not isinstance(given, dict):
        raise ValueError(
            f"MetricSpec with {what}_key specified requires {what}s dict, got {given}.\n"
            f"You must not provide a {what}_key if you only have a single Tensor as {what}s."
        )
    if key not in given:
        raise KeyError(f"Key '{key}' missing from {list(given)}.")
    return given[key]


def _by_name(
    function: Callable[..., Any], name: str, needs_labels: bool, needs_weights: bool
) -> Callable[..., Any]:
    """A function of `labels`, `predictions` and `weights`, whatever its arguments are named."""
    bound = function.keywords if isinstance(function, functools.partial) else {}
    arguments = [each for each in inspect.signature(function).parameters if each not in bound]
    of_labels = _argument(name, arguments, _LABELS, needs_labels)
    of_predictions = _argument(name, arguments, _PREDICTIONS, False)
    of_weights = _argument(name, arguments, _WEIGHTS, needs_weights)

    def by_name(predictions: Any = None, labels: Any = None, weights: Any = None) -> Any:
        given: Dict[str, Any] = {}
        if weights is not None:
            assert of_weights is not None
            given[of_weights] = weights
        if of_predictions is not None:
            given[of_predictions] = predictions
            if of_labels is not None:
                given[of_labels] = labels
            return function(**given)
        if of_labels is not None and arguments[0] == of_labels:
            return function(labels, predictions, **given)
        if of_labels is not None:
            given[of_labels] = labels
        return function(predictions, **given)

    return by_name


def _argument(
    name: str, arguments: Any, candidates: Tuple[str, ...], is_needed: bool
) -> Optional[str]:
    found = [each for each in candidates if each in arguments]
    if len(found) > 1:
        raise ValueError(
            f"Ambiguous arguments {found} of {name}, must provide only one of {candidates}."
        )
    if not found:
        if is_needed:
            raise ValueError(f"{candidates} missing from {name}({arguments}).")
        return None
    return found[0]


def metric_ops(
    metrics: Optional[Dict[Any, Any]], features: Any, labels: Any, predictions: Any
) -> Dict[str, Any]:
    """The `(value, update)` pairs of metrics.

    Args:
        metrics: A dict of `MetricSpec` by name, or of functions of predictions and labels by name,
            or by a name and the name of a prediction.
        features: Features.
        labels: Labels.
        predictions: Predictions.

    Returns:
        The pairs by name.

    Raises:
        ValueError: Predictions have no names, or need one.
    """
    found: Dict[str, Any] = {}
    only_label = labels
    if isinstance(labels, dict) and len(labels) == 1:
        (only_label,) = labels.values()
    for name, metric in (metrics or {}).items():
        if isinstance(metric, MetricSpec):
            found[name] = metric.create_metric_ops(features, labels, predictions)
            continue
        logging.warning("The metric %s is no MetricSpec, which says what it is of", name)
        has_names = isinstance(predictions, dict)
        if isinstance(name, tuple):
            if len(name) != 2:
                raise ValueError(f"Invalid metric for {name}: its length is not 2.")
            if not has_names:
                raise ValueError(
                    "Metrics passed provide (name, prediction), but predictions are not dict. "
                    f"Metrics: {metrics}, Predictions: {predictions}."
                )
            has_label = isinstance(labels, dict) and name[1] in labels
            label = labels[name[1]] if has_label else only_label
            found[name[0]] = metric(predictions[name[1]], label)
        elif has_names:
            raise ValueError(
                "Metrics passed provide only name, no prediction, but predictions are dict. "
                f"Metrics: {metrics}, Labels: {only_label}."
            )
        else:
            found[name] = metric(predictions, only_label)
    return found
