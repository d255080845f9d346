"""What a model function gives an estimator: `EstimatorSpec`."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.estimator.export_outputs import ExportOutput, PredictOutput
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.metrics.metric_objects import is_metric_object, value_and_update
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.set_module import set_module
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.train.scaffold import Scaffold
from troupe._src.variables.variable import Variable

DEFAULT_SERVING_SIGNATURE = "serving_default"


@set_module("troupe.estimator")
class ModeKeys:
    """What a model is made for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Optional[Tensor]
    train_op: Any
    eval_metric_ops: Dict[str, Tuple[Any, Any]]
    export_outputs: Optional[Dict[str, ExportOutput]]
    training_chief_hooks: Tuple[SessionRunHook, ...]
    training_hooks: Tuple[SessionRunHook, ...]
    scaffold: Scaffold
    evaluation_hooks: Tuple[SessionRunHook, ...]
    prediction_hooks: Tuple[SessionRunHook, ...]


@set_module("troupe.estimator")
class EstimatorSpec(_Fields):
    """The ops and hooks of a model, in one of the modes.

    Args:
        mode: One of `ModeKeys`.
        predictions: A tensor, or a dict of tensors; needed to predict.
        loss: A tensor of one element; needed to train and to evaluate.
        train_op: The op, or tensor, of a training step; needed to train.
        eval_metric_ops: For each name, a `(value, update)` pair as of `tf.metrics`, or a metric of
            `tf.keras` that has been updated.
        export_outputs: For each name of a signature, one of `tf.estimator.export`'s outputs.
        training_chief_hooks: Hooks of the chief's training.
        training_hooks: Hooks of each worker's training.
        scaffold: The initialization and the saver.
        evaluation_hooks: Hooks of an evaluation.
        prediction_hooks: Hooks of a prediction.

    Raises:
        ValueError: Something that the mode needs is missing, or is of another graph.
        TypeError: Something is of another type.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Optional[Dict[str, Any]] = None,
        export_outputs: Optional[Dict[str, Any]] = None,
        training_chief_hooks: Optional[Sequence[SessionRunHook]] = None,
        training_hooks: Optional[Sequence[SessionRunHook]] = None,
        scaffold: Optional[Scaffold] = None,
        evaluation_hooks: Optional[Sequence[SessionRunHook]] = None,
        prediction_hooks: Optional[Sequence[SessionRunHook]] = None,
    ) -> EstimatorSpec:
        fields = _Fields(
            mode=mode,
            predictions=_checked_predictions(predictions, mode),
            loss=_checked_loss(loss, mode),
            train_op=_checked_train_op(train_op, mode),
            eval_metric_ops=_checked_metrics(eval_metric_ops),
            export_outputs=_checked_exports(export_outputs, predictions, mode),
            training_chief_hooks=_checked_hooks(training_chief_hooks),
            training_hooks=_checked_hooks(training_hooks),
            scaffold=_checked_scaffold(scaffold),
            evaluation_hooks=_checked_hooks(evaluation_hooks),
            prediction_hooks=_checked_hooks(prediction_hooks),
        )
        _check_graph(fields)
        return super().__new__(cls, *fields)


def _checked_predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        return {}
    values = predictions if isinstance(predictions, dict) else {"predictions": predictions}
    for key, value in values.items():
        _check_is_tensor(value, f"predictions[{key!r}]")
    return predictions


def _check_is_tensor(value: Any, name: str) -> None:
    if not (is_tensor(value) or isinstance(value, SparseTensor)):
        raise TypeError(f"{name} must be Tensor, given: {value}")


def _checked_loss(loss: Any, mode: str) -> Optional[Tensor]:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    tensor = convert_to_tensor(loss)
    shape = tensor.shape
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {tensor}")
    return tensor if shape.is_compatible_with([]) else array_ops.reshape(tensor, [])


def _checked_train_op(train_op: Any, mode: str) -> Any:
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        return None
    if not isinstance(train_op, (Operation, Tensor, Variable)):
        raise TypeError(f"train_op must be Operation or Tensor, given: {train_op}")
    return train_op


def _checked_metrics(metrics: Optional[Dict[str, Any]]) -> Dict[str, Tuple[Any, Any]]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {metrics}")
    pairs = {}
    for key, given in metrics.items():
        pair = value_and_update(given) if is_metric_object(given) else given
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: "
                f"{pair} for key: {key}"
            )
        pairs[key] = pair
    return pairs


def _checked_exports(
    outputs: Optional[Dict[str, Any]], predictions: Any, mode: str
) -> Optional[Dict[str, ExportOutput]]:
    """The outputs with a default one; to predict, the predictions are one if there are none."""
    if mode != ModeKeys.PREDICT:
        return None
    if outputs is None:
        outputs = {DEFAULT_SERVING_SIGNATURE: PredictOutput(predictions)}
    if not isinstance(outputs, dict):
        raise TypeError(f"export_outputs must be dict, given: {outputs}")
    for value in outputs.values():
        if not isinstance(value, ExportOutput):
            raise TypeError(
                f"Values in export_outputs must be ExportOutput objects. Given: {outputs}"
            )
    named = dict(outputs)
    if len(named) == 1:
        (only,) = named.values()
        named.setdefault(DEFAULT_SERVING_SIGNATURE, only)
    elif DEFAULT_SERVING_SIGNATURE not in named:
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as the default. "
            "Do this by naming one of them with signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_"
            "KEY."
        )
    return named


def _checked_hooks(hooks: Optional[Sequence[SessionRunHook]]) -> Tuple[SessionRunHook, ...]:
    found: List[SessionRunHook] = list(hooks or [])
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
    return tuple(found)


def _checked_scaffold(scaffold: Optional[Scaffold]) -> Scaffold:
    if scaffold is not None and not isinstance(scaffold, Scaffold):
        raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
    return scaffold or Scaffold()


def _check_graph(fields: _Fields) -> None:
    """ValueError for what belongs to another graph than the default one."""
    named: Dict[str, Any] = {"loss": fields.loss, "train_op": fields.train_op}
    if isinstance(fields.predictions, dict):
        named.update(fields.predictions)
    for name, value in named.items():
        graph = getattr(value, "graph", None)
        if graph is not None and graph is not get_default_graph():
            raise ValueError(f"{name} must be from the default graph, given: {value}")
