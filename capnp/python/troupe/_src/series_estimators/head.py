"""The heads of models of time series: ops of trainings, evaluations, predictions, exports."""

from __future__ import annotations

import re
from typing import Any, Dict, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.estimator.export_outputs import PredictOutput
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import name_scope
from troupe._src.metrics.means import mean
from troupe._src.ops import array_ops, creation_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import scalar
from troupe._src.series_estimators import feature_checks
from troupe._src.timeseries.feature_keys import (
    FilteringFeatures, FilteringResults, PredictionFeatures, PredictionResults, SavedModelLabels,
    State, TrainEvalFeatures,
)  # fmt: skip
from troupe._src.timeseries.model import ModelOutputs
from troupe._src.train.global_step import get_global_step
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_store import variable_scope

_STATE_KEY = re.compile(rf"^{State.STATE_PREFIX}_(\d+)$")


class _WithoutState(PredictOutput):
    """Outputs of a signature that has no inputs of a state."""

    def as_signature_def(self, receiver_tensors: Dict[str, Any]) -> Any:
        others = {
            key: tensor
            for key, tensor in receiver_tensors.items()
            if not key.startswith(State.STATE_PREFIX)
        }
        return super().as_signature_def(others)


def state_to_dictionary(state: Any) -> Dict[str, Any]:
    """The parts of a state by the names of features.

    Args:
        state: A nested structure.

    Returns:
        {name: part}.
    """
    parts = nest.flatten(state)
    return {f"{State.STATE_PREFIX}_{number:02d}": part for number, part in enumerate(parts)}


def _last_value(name: str, tensor: Any) -> Tuple[Any, Any]:
    """A metric whose result is the tensor in the last step."""
    variable = Variable(
        creation_ops.zeros([], tensor.dtype), name=f"{name}_identity_metric",
        collections=[GraphKeys.LOCAL_VARIABLES], validate_shape=False, trainable=False,
    )  # fmt: skip
    update = assign(variable, tensor, validate_shape=False)
    value = array_ops.identity(variable)
    value.set_shape(tensor.shape)
    return value, update


def _last_values(name: str, tensors: Any) -> Tuple[Any, Any]:
    """A metric whose result is the structure of tensors in the last step."""
    pairs = [
        _last_value(f"{name}_{number}", tensor)
        for number, tensor in enumerate(nest.flatten(tensors))
    ]
    values = nest.pack_sequence_as(tensors, [value for value, _ in pairs])
    return values, group(*[update for _, update in pairs])


class TimeSeriesRegressionHead:
    """The ops of an estimator of a model of time series.

    Args:
        model: The model.
        state_manager: Which state the windows of a training begin with.
        optimizer: Of the training.
        input_statistics_generator: Makes the statistics that the model scales values by; or None.
        name: The prefix of the name of the summary of the loss.
    """

    def __init__(
        self, model: Any, state_manager: Any, optimizer: Any,
        input_statistics_generator: Any = None, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self.model = model
        self.state_manager = state_manager
        self.optimizer = optimizer
        self.input_statistics_generator = input_statistics_generator
        self._name = name

    @property
    def name(self) -> Optional[str]:
        """The prefix of the name of the summary of the loss."""
        return self._name

    @property
    def logits_dimension(self) -> int:
        """1: there are no logits."""
        return 1

    def create_loss(
        self, features: Dict[str, Any], mode: str, logits: Any = None, labels: Any = None
    ) -> ModelOutputs:
        """The loss of windows, with a summary of it.

        Args:
            features: Times, values, and others, by key.
            mode: One of `ModeKeys`.
            logits: Ignored.
            labels: Ignored.

        Returns:
            The loss, with what else the model gives.
        """
        outputs: ModelOutputs = self.state_manager.define_loss(self.model, features, mode)
        scalar(f"{self._name}/loss" if self._name else "loss", outputs.loss)
        return outputs

    def create_estimator_spec(
        self, features: Dict[str, Any], mode: str, labels: Any = None
    ) -> EstimatorSpec:
        """The model function of an estimator.

        Args:
            features: Times, values, and others, by key; to predict also a state, or its parts.
            mode: One of `ModeKeys`.
            labels: None: labels are among the features.

        Returns:
            The spec.

        Raises:
            ValueError: There are labels, features lack, or they have other shapes.
        """
        with name_scope(self._name, "head"):
            if labels is not None and labels != {}:
                raise ValueError(
                    "The model received a `labels`, which is not supported. Pass "
                    f"'{TrainEvalFeatures.TIMES}' and '{TrainEvalFeatures.VALUES}' as features."
                )
            tensors = {key: self._tensor(key, value) for key, value in features.items()}
            statistics = None
            if self.input_statistics_generator is not None:
                statistics = self.input_statistics_generator.initialize_graph(
                    tensors, update_statistics=mode == ModeKeys.TRAIN
                )
            self.model.initialize_graph(input_statistics=statistics)
            tensors, is_serving = self._with_state(tensors)
            if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
                feature_checks.check_train_eval_features(tensors, self.model)
            elif mode == ModeKeys.PREDICT:
                self._check_predict_features(tensors)
            else:
                raise ValueError(f"Unknown mode '{mode}' passed to model_fn.")
            self.state_manager.initialize_graph(model=self.model, input_statistics=statistics)
            return self._spec(tensors, mode, is_serving)

    def _spec(self, features: Dict[str, Any], mode: str, is_serving: bool) -> EstimatorSpec:
        if mode == ModeKeys.TRAIN:
            return self._train_ops(features)
        if mode == ModeKeys.EVAL:
            return self._evaluate_ops(features)
        return self._serving_ops(features) if is_serving else self._predict_ops(features)

    def _train_ops(self, features: Dict[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            outputs = self.create_loss(features, ModeKeys.TRAIN)
        train_op = self.optimizer.minimize(outputs.loss, global_step=get_global_step())
        return EstimatorSpec(ModeKeys.TRAIN, loss=outputs.loss, train_op=train_op)

    def _evaluate_ops(self, features: Dict[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            outputs = self.create_loss(features, ModeKeys.EVAL)
        metrics = {key: _last_value(key, value) for key, value in outputs.predictions.items()}
        times, state = FilteringResults.TIMES, FilteringResults.STATE_TUPLE
        metrics[times] = _last_value(times, outputs.prediction_times)
        metrics[state] = _last_values(state, outputs.end_state)
        metrics["average_loss"] = mean(outputs.loss, name="average_loss")
        return EstimatorSpec(
            ModeKeys.EVAL, loss=outputs.loss, eval_metric_ops=metrics,
            predictions=outputs.predictions,
        )  # fmt: skip

    def _predict_ops(self, features: Dict[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            predictions = self.model.predict(features=features)
        predictions[PredictionResults.TIMES] = features[PredictionFeatures.TIMES]
        return EstimatorSpec(ModeKeys.PREDICT, predictions=predictions)

    def _serving_ops(self, features: Dict[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            predictions = self.model.predict(features=features)
        with variable_scope("model", reuse=True):
            filtered = self.create_loss(dict(features), ModeKeys.EVAL)
        with variable_scope("model", reuse=True):
            without_state = {
                key: value for key, value in features.items() if key != State.STATE_TUPLE
            }
            cold = self.model.define_loss(features=without_state, mode=ModeKeys.EVAL)
        outputs = {
            SavedModelLabels.PREDICT: PredictOutput(predictions),
            SavedModelLabels.FILTER: PredictOutput(state_to_dictionary(filtered.end_state)),
            SavedModelLabels.COLD_START_FILTER: _WithoutState(
                state_to_dictionary(cold.end_state)
            ),
        }
        return EstimatorSpec(ModeKeys.PREDICT, predictions={}, export_outputs=outputs)

    def _tensor(self, name: str, value: Any) -> Any:
        if name == TrainEvalFeatures.TIMES:
            return math_ops.cast(value, dtypes.int64)
        if name == TrainEvalFeatures.VALUES:
            return math_ops.cast(value, self.model.dtype)
        if name == PredictionFeatures.STATE_TUPLE or isinstance(value, SparseTensor):
            return value
        if isinstance(value, SparseTensorValue):
            return SparseTensor.from_value(value)
        return convert_to_tensor(value)

    def _with_state(self, features: Dict[str, Any]) -> Tuple[Dict[str, Any], bool]:
        """The features with the state that the parts among them make; and whether there are any."""
        found = [(match, key) for key in features if (match := _STATE_KEY.search(key))]
        if not found:
            return features, False
        numbered = sorted((int(match.group(1)), key) for match, key in found)
        parts = [features[key] for _, key in numbered]
        keys = {key for _, key in numbered}
        others = {key: value for key, value in features.items() if key not in keys}
        state = nest.pack_sequence_as(self.model.get_start_state(), parts)
        return {**others, State.STATE_TUPLE: state}, True

    def _check_predict_features(
        self, features: Dict[str, Any], more: Sequence[str] = ()
    ) -> None:
        needed = [PredictionFeatures.TIMES, *more, PredictionFeatures.STATE_TUPLE]
        for key in needed:
            feature_checks.check_has(features, key, "prediction")
        feature_checks.check_shapes(
            features, PredictionFeatures.TIMES, [PredictionFeatures.STATE_TUPLE, *more]
        )


@set_module("troupe.contrib.timeseries")
class OneShotPredictionHead(TimeSeriesRegressionHead):
    """The ops of an estimator whose exported model reads a series and predicts, at once.

    It has one signature, without a state. Values are those of the first times, and predictions are
    of the others.

    Args:
        model: The model.
        state_manager: Which state the windows of a training begin with.
        optimizer: Of the training.
        input_statistics_generator: Makes the statistics that the model scales values by; or None.
        name: The prefix of the name of the summary of the loss.
    """

    def _check_predict_features(
        self, features: Dict[str, Any], more: Sequence[str] = (TrainEvalFeatures.VALUES,)
    ) -> None:
        super()._check_predict_features(features, more)

    def _evaluate_ops(self, features: Dict[str, Any]) -> EstimatorSpec:
        spec = super()._evaluate_ops(features)
        del spec.eval_metric_ops[State.STATE_TUPLE]
        return spec

    def _serving_ops(self, features: Dict[str, Any]) -> EstimatorSpec:
        values = features[FilteringFeatures.VALUES]
        size = array_ops.shape(values)[1]
        others = {
            key: value
            for key, value in features.items()
            if key not in (State.STATE_TUPLE, FilteringFeatures.VALUES)
        }
        with variable_scope("model", use_resource=True):
            known = {key: value[:, :size] for key, value in others.items()}
            known[FilteringFeatures.VALUES] = values
            cold = self.model.define_loss(features=known, mode=ModeKeys.EVAL)
        following = {key: value[:, size:] for key, value in others.items()}
        following[State.STATE_TUPLE] = cold.end_state
        with variable_scope("model", reuse=True):
            predictions = self.model.predict(features=following)
        return EstimatorSpec(
            ModeKeys.PREDICT, predictions={},
            export_outputs={SavedModelLabels.PREDICT: _WithoutState(predictions)},
        )  # fmt: skip
