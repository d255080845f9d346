"""What a model function gives an older estimator: `ModelFnOps`."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.estimator.export_outputs import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from troupe._src.estimator.spec import DEFAULT_SERVING_SIGNATURE, EstimatorSpec
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.learn.keys import MetricKey, PredictionKey, ProblemType
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import convert_to_tensor_or_sparse_tensor
from troupe._src.set_module import set_module
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.types import dtypes

# For each name, the kind of problem, and the tensors by the names of predictions.
Alternatives = Dict[Optional[str], Tuple[int, Dict[str, Any]]]


class _Fields(NamedTuple):
    predictions: Any
    loss: Optional[Tensor]
    train_op: Any
    eval_metric_ops: Dict[str, Any]
    output_alternatives: Optional[Alternatives]
    training_chief_hooks: List[SessionRunHook]
    training_hooks: List[SessionRunHook]
    scaffold: Any
    mode: str


@set_module("troupe.contrib.learn")
class ModelFnOps(_Fields):
    """The ops and hooks of a model, in one of the modes.

    Args:
        mode: One of `tf.contrib.learn.ModeKeys`.
        predictions: A tensor, or a dict of tensors; needed to predict and to evaluate.
        loss: A tensor of one element; needed to train and to evaluate.
        train_op: The op, or tensor, of a training step; needed to train.
        eval_metric_ops: For each name, a `(value, update)` pair as of `tf.metrics`.
        output_alternatives: For each name of an output, its `ProblemType` and a dict of tensors.
        training_chief_hooks: Hooks of the chief's training.
        training_hooks: Hooks of each worker's training.
        scaffold: The initialization and the saver.

    Raises:
        ValueError: Something that the mode needs is missing, or the loss has more elements.
        TypeError: A hook is none.
    """

    __slots__ = ()

    def __new__(
        cls, mode: str, predictions: Any = None, loss: Any = None, train_op: Any = None,
        eval_metric_ops: Optional[Dict[str, Any]] = None,
        output_alternatives: Optional[Alternatives] = None,
        training_chief_hooks: Optional[Sequence[SessionRunHook]] = None,
        training_hooks: Optional[Sequence[SessionRunHook]] = None, scaffold: Any = None,
    ) -> ModelFnOps:  # fmt: skip
        ModeKeys.validate(mode)
        if eval_metric_ops is not None and not isinstance(eval_metric_ops, dict):
            raise ValueError("eval_metric_ops must be a dict.")
        fields = _Fields(
            predictions=_checked_predictions(predictions, mode),
            loss=_checked_loss(loss, mode),
            train_op=_checked_train_op(train_op, mode),
            eval_metric_ops={} if eval_metric_ops is None else eval_metric_ops,
            output_alternatives=output_alternatives,
            training_chief_hooks=_checked_hooks(training_chief_hooks),
            training_hooks=_checked_hooks(training_hooks),
            scaffold=scaffold,
            mode=mode,
        )
        return super().__new__(cls, *fields)

    def estimator_spec(
        self, default_serving_output_alternative_key: Optional[str] = None
    ) -> EstimatorSpec:
        """What an estimator of `tf.estimator` takes.

        Args:
            default_serving_output_alternative_key: The output of the default signature, where there
                are several.

        Returns:
            The spec of the same mode.

        Raises:
            ValueError: A kind of problem is none.
        """
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops={
                key: value for key, value in self.eval_metric_ops.items() if key != MetricKey.LOSS
            },
            export_outputs=(
                self._outputs(default_serving_output_alternative_key)
                if self.mode == ModeKeys.INFER
                else None
            ),
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )

    def _outputs(self, default: Optional[str]) -> Any:
        if not self.output_alternatives:
            return None
        found: Dict[Any, Any] = {
            key: export_output(*alternative)
            for key, alternative in self.output_alternatives.items()
        }
        if len(found) > 1 and DEFAULT_SERVING_SIGNATURE not in found:
            found[DEFAULT_SERVING_SIGNATURE] = found[default]
        return found


def _checked_predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode != ModeKeys.TRAIN:
            raise ValueError("Missing predictions.")
        return None
    if isinstance(predictions, dict):
        return {k: convert_to_tensor_or_sparse_tensor(v) for k, v in predictions.items()}
    return convert_to_tensor_or_sparse_tensor(predictions)


def _checked_loss(loss: Any, mode: str) -> Optional[Tensor]:
    if loss is None:
        if mode != ModeKeys.INFER:
            raise ValueError("Missing loss.")
        return None
    tensor = convert_to_tensor(loss)
    if tensor.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar: {tensor}.")
    return tensor if tensor.shape.is_compatible_with([]) else array_ops.reshape(tensor, [])


def _checked_train_op(train_op: Any, mode: str) -> Any:
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        return None
    return train_op if isinstance(train_op, Operation) else convert_to_tensor(train_op).op


def _checked_hooks(hooks: Optional[Sequence[SessionRunHook]]) -> List[SessionRunHook]:
    found = list(hooks or [])
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(
                "All hooks returned from model_fn must be SessionRunHook instances, got instance "
                f"of {type(hook)}: {hook}"
            )
    return found


def export_output(problem_type: int, tensors: Dict[str, Any]) -> ExportOutput:
    """The output of an export for a kind of problem.

    Raises:
        ValueError: It is no kind of problem.
    """
    if problem_type == ProblemType.UNSPECIFIED:
        return PredictOutput(tensors)
    scores = tensors.get(PredictionKey.SCORES)
    if scores is None:
        scores = tensors.get(PredictionKey.PROBABILITIES)
    if problem_type == ProblemType.LINEAR_REGRESSION:
        if scores is None and len(tensors) == 1:
            (scores,) = tensors.values()
        return PredictOutput(tensors) if scores is None else RegressionOutput(scores)
    if problem_type not in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
        raise ValueError(f"Unknown problem_type={problem_type}")
    classes = tensors.get(PredictionKey.CLASSES)
    if classes is not None and classes.dtype != dtypes.string:
        classes = None
    if classes is None and scores is None:
        return PredictOutput(tensors)
    return ClassificationOutput(scores=scores, classes=classes)
