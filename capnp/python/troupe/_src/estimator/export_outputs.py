"""What a model gives to those whom it serves: the outputs of its signatures."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.messages.meta_graph_messages import SignatureDef
from troupe._src.ops.convert import constant, is_tensor
from troupe._src.saved_model import signatures
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe.estimator.export")
class ExportOutput:
    """The outputs of a signature."""

    def as_signature_def(self, receiver_tensors: Dict[str, Any]) -> SignatureDef:
        """The signature from those inputs to these outputs.

        Args:
            receiver_tensors: Tensors by names for users.

        Returns:
            A SignatureDef.

        Raises:
            ValueError: It has no signature for such inputs.
        """
        raise NotImplementedError


def _serialized_examples(receiver_tensors: Dict[str, Any], what: str) -> Any:
    """The only input, which must be of strings."""
    inputs = list(receiver_tensors.values())
    if len(inputs) != 1 or inputs[0].dtype != dtypes.string:
        raise ValueError(f"{what} input must be a single string Tensor; got {receiver_tensors}")
    return inputs[0]


@set_module("troupe.estimator.export")
class ClassificationOutput(ExportOutput):
    """Scores and classes of a classification, of which one may be absent.

    Args:
        scores: A tensor of floats, [batch] or [batch, classes].
        classes: A tensor of strings of the same shape.

    Raises:
        ValueError: Neither is given, or one is of another dtype.
    """

    def __init__(self, scores: Optional[Tensor] = None, classes: Optional[Tensor] = None) -> None:
        if scores is not None and not (is_tensor(scores) and scores.dtype.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and not (is_tensor(classes) and classes.dtype == dtypes.string):
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self.scores, self.classes = scores, classes

    def as_signature_def(self, receiver_tensors: Dict[str, Any]) -> SignatureDef:
        examples = _serialized_examples(receiver_tensors, "Classification")
        return signatures.classification_signature_def(examples, self.classes, self.scores)


@set_module("troupe.estimator.export")
class RegressionOutput(ExportOutput):
    """The values of a regression.

    Args:
        value: A tensor of floats, [batch] or [batch, 1].

    Raises:
        ValueError: It is of another dtype.
    """

    def __init__(self, value: Tensor) -> None:
        if not (is_tensor(value) and value.dtype.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self.value = value

    def as_signature_def(self, receiver_tensors: Dict[str, Any]) -> SignatureDef:
        examples = _serialized_examples(receiver_tensors, "Regression")
        return signatures.regression_signature_def(examples, self.value)


@set_module("troupe.estimator.export")
class PredictOutput(ExportOutput):
    """Any tensors.

    Args:
        outputs: A tensor, or a dict of tensors by their names.

    Raises:
        ValueError: Something else is among them.
    """

    def __init__(self, outputs: Any) -> None:
        self.outputs = _named(outputs, "output", "Prediction")

    def as_signature_def(self, receiver_tensors: Dict[str, Any]) -> SignatureDef:
        return signatures.predict_signature_def(receiver_tensors, self.outputs)


class SupervisedOutput(ExportOutput):
    """The loss, the predictions and the metrics of a training or an evaluation.

    Args:
        loss: A tensor.
        predictions: A tensor, or a dict of tensors; may be empty.
        metrics: For each name a `(value, update)` pair.
    """

    def __init__(
        self, loss: Any = None, predictions: Any = None, metrics: Any = None
    ) -> None:
        self.loss = None if loss is None else _prefixed(_named(loss, "loss", "loss"), "loss")
        self.predictions = None
        if predictions is not None:
            named = _named(predictions, "predictions", "predictions")
            self.predictions = _prefixed(named, "predictions")
        self.metrics = None if metrics is None else _of_metrics(metrics)


class TrainOutput(SupervisedOutput):
    """The loss, the predictions and the metrics of a training."""

    def as_signature_def(self, receiver_tensors: Dict[str, Any]) -> SignatureDef:
        return signatures.supervised_train_signature_def(
            receiver_tensors, self.loss, self.predictions, self.metrics
        )


@set_module("troupe.estimator.export")
class EvalOutput(SupervisedOutput):
    """The loss, the predictions and the metrics of an evaluation."""

    def as_signature_def(self, receiver_tensors: Dict[str, Any]) -> SignatureDef:
        return signatures.supervised_eval_signature_def(
            receiver_tensors, self.loss, self.predictions, self.metrics
        )


def _named(outputs: Any, default_name: str, what: str) -> Dict[str, Any]:
    """The tensors by names, which may be parts joined by slashes."""
    given = outputs if isinstance(outputs, dict) else {default_name: outputs}
    named = {}
    for key, value in given.items():
        if not isinstance(key, (str, tuple)):
            raise ValueError(f"{what} output key must be a string. Got {key}.")
        if not is_tensor(value):
            raise ValueError(f"{what} output value must be a Tensor; got {value}.")
        named["/".join(key) if isinstance(key, tuple) else key] = value
    return named


def _prefixed(named: Dict[str, Any], prefix: str) -> Dict[str, Any]:
    return {_with_prefix(key, prefix): value for key, value in named.items()}


def _with_prefix(key: str, prefix: str) -> str:
    return key if key.startswith(prefix) else f"{prefix}/{key}"


def _of_metrics(metrics: Dict[str, Tuple[Any, Any]]) -> Dict[str, Any]:
    """Two tensors for each metric; signatures cannot name operations."""
    named: Dict[str, Any] = {}
    for key, (value, update) in metrics.items():
        if isinstance(update, Operation):
            with get_default_graph().control_dependencies([update]):
                update = constant([], dtypes.float32, name="metric_op_wrapper")
        prefix = _with_prefix(key, "metrics")
        named[f"{prefix}/value"], named[f"{prefix}/update_op"] = value, update
    return named
