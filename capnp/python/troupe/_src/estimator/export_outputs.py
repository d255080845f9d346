"""What a model gives to those whom it serves: the outputs of its signatures."""

from __future__ import annotations

from typing import Any, Dict, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops.convert import is_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe.estimator.export")
class ExportOutput:
    """The outputs of a signature."""

    def as_dict(self) -> Dict[str, Any]:
        """The tensors by the names that the signature has for them."""
        raise NotImplementedError


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

    def as_dict(self) -> Dict[str, Any]:
        named = {"scores": self.scores, "classes": self.classes}
        return {name: value for name, value in named.items() if value is not None}


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

    def as_dict(self) -> Dict[str, Any]:
        return {"outputs": self.value}


@set_module("troupe.estimator.export")
class PredictOutput(ExportOutput):
    """Any tensors.

    Args:
        outputs: A tensor, or a dict of tensors by their names.

    Raises:
        ValueError: Something else is among them.
    """

    def __init__(self, outputs: Any) -> None:
        named = outputs if isinstance(outputs, dict) else {"output": outputs}
        for key, value in named.items():
            if not isinstance(key, (str, tuple)):
                raise ValueError(f"Prediction output key must be a string. Got {key}.")
            if not is_tensor(value):
                raise ValueError(f"Prediction output value must be a Tensor; got {value}.")
        self.outputs: Dict[str, Any] = dict(named)

    def as_dict(self) -> Dict[str, Any]:
        return dict(self.outputs)
