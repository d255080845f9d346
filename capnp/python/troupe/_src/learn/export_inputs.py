"""Inputs and outputs of exported models, as functions for serving give them."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from troupe._src.estimator.export_outputs import ExportOutput, PredictOutput
from troupe._src.estimator.spec import DEFAULT_SERVING_SIGNATURE, EstimatorSpec
from troupe._src.graph.graph import get_default_graph
from troupe._src.learn.keys import (
    COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS,
    PredictionKey,
    ProblemType,
)
from troupe._src.learn.model_fn_ops import ModelFnOps, export_output
from troupe._src.ops.creation_ops import placeholder
from troupe._src.parsing.example_ops import parse_example
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

_INPUT = "default_input_alternative"
_OUTPUT = "default_output_alternative"


@set_module("troupe.contrib.learn")
class InputFnOps(NamedTuple):
    """What a model for serving takes: features, labels, and the tensors that are fed by name."""

    features: Any
    labels: Any
    default_inputs: Dict[str, Any]


class _Receiver(NamedTuple):
    features: Any
    receiver_tensors: Dict[str, Any]


def as_receiver(given: Any) -> _Receiver:
    """What an export of `tf.estimator` takes, of what a function for serving returned.

    Raises:
        ValueError: There are no features, or no inputs.
    """
    if not isinstance(given, InputFnOps):
        raise ValueError(
            "A default input_alternative must be provided: serving_input_fn must return an "
            f"InputFnOps, not {given}."
        )
    if not given.features:
        raise ValueError("Features must be defined.")
    graph = get_default_graph()
    for key in given.features:
        graph.add_to_collection(COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS, key)
    return _Receiver(given.features, given.default_inputs)


class _AsItMay(ExportOutput):
    """An output of some kind for serialized examples; of predictions for other inputs."""

    def __init__(self, problem_type: int, tensors: Dict[str, Any]) -> None:
        self._kind, self._tensors = problem_type, tensors

    def as_signature_def(self, receiver_tensors: Dict[str, Any]) -> Any:
        only = next(iter(receiver_tensors.values()))
        if len(receiver_tensors) == 1 and only.dtype == dtypes.string:
            return export_output(self._kind, self._tensors).as_signature_def(receiver_tensors)
        return PredictOutput(self._tensors).as_signature_def(receiver_tensors)


def output_alternatives(made: ModelFnOps, default: Optional[str]) -> Tuple[Dict[Any, Any], Any]:
    """The kinds of problems and the tensors of all heads, and the name of the one that serves.

    Args:
        made: The model.
        default: That name, where there are several.

    Raises:
        ValueError: There is no such head, or there are several and none is named.
    """
    alternatives: Dict[Any, Any] = dict(made.output_alternatives or {})
    if default and default not in alternatives:
        raise ValueError(
            f"Requested default_output_alternative: {default}, but available output_alternatives "
            f"are: {sorted(map(str, alternatives))}"
        )
    if not alternatives:
        tensors = made.predictions
        if not isinstance(tensors, dict):
            tensors = {PredictionKey.GENERIC: tensors}
        alternatives = {_OUTPUT: (ProblemType.UNSPECIFIED, tensors)}
    if default:
        return alternatives, default
    if len(alternatives) > 1:
        raise ValueError(
            "Please specify a default_output_alternative.  Available output_alternatives are: "
            f"{sorted(map(str, alternatives))}"
        )
    return alternatives, next(iter(alternatives))


def export_spec(made: ModelFnOps, default: Optional[str]) -> EstimatorSpec:
    """The spec of an export, whose outputs have the names that TensorFlow gives them.

    Raises:
        ValueError: There is no such output, or there are several and none is named.
    """
    alternatives, served = output_alternatives(made, default)
    outputs = {f"{_INPUT}:{key}": _AsItMay(*each) for key, each in alternatives.items()}
    outputs[DEFAULT_SERVING_SIGNATURE] = _AsItMay(*alternatives[served])
    spec = made._replace(output_alternatives=None).estimator_spec()
    return spec._replace(export_outputs=dict(outputs))


def build_parsing_serving_input_fn(
    feature_spec: Dict[str, Any], default_batch_size: Optional[int] = None
) -> Callable[[], InputFnOps]:
    """A function for serving that parses serialized messages Example.

    Args:
        feature_spec: The features by their keys, as `tf.parse_example` takes them.
        default_batch_size: How many messages there are; None for any number.

    Returns:
        The function. Its input is "examples".
    """

    def input_fn() -> InputFnOps:
        serialized = placeholder(dtypes.string, [default_batch_size], "input_example_tensor")
        return InputFnOps(parse_example(serialized, feature_spec), None, {"examples": serialized})

    return input_fn


def build_default_serving_input_fn(
    features: Dict[str, Any], default_batch_size: Optional[int] = None
) -> Callable[[], InputFnOps]:
    """A function for serving whose inputs are the features.

    Args:
        features: Tensors that are like them.
        default_batch_size: How many examples there are; None for any number.

    Returns:
        The function. Its inputs have the names of the features.
    """
    shapes = {name: tensor.shape.as_list()[1:] for name, tensor in features.items()}
    kinds = {name: tensor.dtype for name, tensor in features.items()}
    names = {name: tensor.op.name for name, tensor in features.items()}

    def input_fn() -> InputFnOps:
        made = {
            name: placeholder(kinds[name], [default_batch_size, *shape], names[name])
            for name, shape in shapes.items()
        }
        return InputFnOps(made, None, made)

    return input_fn
