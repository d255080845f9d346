"""Models that go through windows time by time: `SequentialTimeSeriesModel`."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.selection_ops import where
from troupe._src.timeseries.feature_keys import PredictionFeatures, TrainEvalFeatures
from troupe._src.timeseries.model import ModelOutputs, TimeSeriesModel
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import variable_scope

_TIMES, _VALUES = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES
_STATE = PredictionFeatures.STATE_TUPLE

Step = Tuple[Any, Dict[str, Any]]  # a state, and outputs by name


def _others(features: Dict[str, Any], *keys: str) -> Dict[str, Any]:
    return {key: value for key, value in features.items() if key not in keys}


class _Values:
    """As a TensorArray, for a loop that is unrolled."""

    def __init__(self) -> None:
        self.values: List[Any] = []

    def write(self, index: Any, value: Any) -> _Values:
        """Adds a value."""
        self.values.append(value)
        return self

    def by_series(self) -> Any:
        """The values, [batch, times, ...]."""
        return array_ops.stack(self.values, axis=1)


class SequentialTimeSeriesModel(TimeSeriesModel):
    """A model whose state goes from a time to the next one.

    A class of them has `get_start_state`, and for each time, in this order: `_imputation_step` of
    the times that lack before it, `_exogenous_input_step` of other features, `_prediction_step`,
    and to filter also `_filtering_step` of the observed values.

    Args:
        train_output_names: Of the outputs of `_filtering_step`, beside `loss`.
        predict_output_names: Of the outputs of `_prediction_step`.
        num_features: Of the series.
        normalize_features: Whether values are scaled by statistics; `_scale_back_predictions` then
            undoes that.
        dtype: Of its computation, floating point.
        exogenous_feature_columns: The columns of other features of times.
        exogenous_update_condition: A function of times and of their other features that says for
            which of them `_exogenous_input_step` counts; by default for all.
        static_unrolling_window_size_threshold: Up to which size of windows there is no loop.
    """

    def __init__(
        self,
        train_output_names: Sequence[str],
        predict_output_names: Sequence[str],
        num_features: int,
        normalize_features: bool = False,
        dtype: Any = dtypes.float32,
        exogenous_feature_columns: Optional[Sequence[Any]] = None,
        exogenous_update_condition: Optional[Callable[..., Any]] = None,
        static_unrolling_window_size_threshold: Optional[int] = None,
    ) -> None:
        super().__init__(num_features, exogenous_feature_columns, dtype)
        self._exogenous_update_condition = exogenous_update_condition
        self._train_output_names = list(train_output_names)
        self._predict_output_names = list(predict_output_names)
        self._normalize_features = normalize_features
        self._static_unrolling_window_size_threshold = static_unrolling_window_size_threshold

    def _scale_back_predictions(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        raise NotImplementedError(
            "SequentialTimeSeriesModel normalized input data (normalize_features=True), but no "
            "method was provided to transform the predictions back to the input scale."
        )

    def _filtering_step(
        self, current_times: Any, current_values: Any, state: Any, predictions: Dict[str, Any]
    ) -> Step:
        raise NotImplementedError("Abstract method")

    def _prediction_step(self, current_times: Any, state: Any) -> Step:
        raise NotImplementedError("Abstract method")

    def _imputation_step(self, current_times: Any, state: Any) -> Any:
        raise NotImplementedError("Abstract method")

    def _exogenous_input_step(
        self, current_times: Any, current_exogenous_regressors: Any, state: Any
    ) -> Any:
        raise NotImplementedError("Abstract method")

    def _loss_additions(self, times: Any, values: Any, mode: str) -> Any:
        """What is added to the mean loss of observations."""
        return 0.0

    def _window_initializer(self, times: Any, state: Any) -> None:
        """Called before the times of a window."""

    def get_batch_loss(self, features: Dict[str, Any], mode: str, state: Any) -> ModelOutputs:
        loss, states, outputs = self.per_step_batch_loss(features, mode, state)
        end_state = nest.map_structure(lambda value: value[:, -1], states)
        outputs["observed"] = features[_VALUES]
        return ModelOutputs(loss, end_state, outputs, features[_TIMES])

    def _with_exogenous(
        self, number: Any, times: Any, state: Any, features: Dict[str, Any], regressors: Any
    ) -> Any:
        """The state with the other features of a time."""
        if regressors is None:
            return state
        updated = self._exogenous_input_step(
            current_times=times, current_exogenous_regressors=regressors[:, number, :], state=state
        )
        if self._exogenous_update_condition is None:
            return updated
        current = {
            key: value[:, number]
            for key, value in _others(features, _STATE, _TIMES, _VALUES).items()
        }
        is_updated = self._exogenous_update_condition(times=times, features=current)
        pairs = zip(nest.flatten(updated), nest.flatten(state))
        return nest.pack_sequence_as(state, [where(is_updated, new, old) for new, old in pairs])

    def per_step_batch_loss(
        self, features: Dict[str, Any], mode: str, state: Any
    ) -> Tuple[Any, Any, Dict[str, Any]]:
        """The loss of windows, with the states after all times.

        Args:
            features: Times, values, and others, by key.
            mode: One of `ModeKeys`.
            state: The state before each window.

        Returns:
            The mean loss of observations, the states, [batch, times, ...], and outputs by name.
        """
        self._check_graph_initialized()
        times = math_ops.cast(features[_TIMES], dtypes.int64)
        values = math_ops.cast(features[_VALUES], self.dtype)
        if self._normalize_features:
            values = self._scale_data(values)
        regressors = self._process_exogenous_features(
            times=times, features=_others(features, _TIMES, _VALUES)
        )

        def step(number: Any, current_times: Any, current_state: Any) -> Step:
            current_state = self._with_exogenous(
                number, current_times, current_state, features, regressors
            )
            predicted, predictions = self._prediction_step(
                current_times=current_times, state=current_state
            )
            return self._filtering_step(
                current_times=current_times, current_values=values[:, number, :],
                state=predicted, predictions=predictions,
            )  # fmt: skip

        names = ["loss", *self._train_output_names]
        states, outputs = self._state_update_loop(times, state, step, names)
        losses = outputs.pop("loss")
        losses.set_shape(times.shape)
        count = math_ops.cast(math_ops.reduce_prod(array_ops.shape(times)), self.dtype)
        loss = math_ops.reduce_sum(losses) / count + self._loss_additions(times, values, mode)
        if self._normalize_features:
            outputs = self._scale_back_predictions(outputs)
        return loss, states, outputs

    def predict(self, features: Dict[str, Any]) -> Dict[str, Any]:
        times = convert_to_tensor(features[_TIMES], dtypes.int64)
        regressors = self._process_exogenous_features(
            times=times, features=_others(features, _TIMES, _STATE)
        )

        def step(number: Any, current_times: Any, state: Any) -> Step:
            state = self._with_exogenous(number, current_times, state, features, regressors)
            return self._prediction_step(current_times=current_times, state=state)

        _, predictions = self._state_update_loop(
            times, features[_STATE], step, self._predict_output_names
        )
        if self._normalize_features:
            predictions = self._scale_back_predictions(predictions)
        return predictions

    def _is_unrolled(self, size: Optional[int]) -> bool:
        limit = self._static_unrolling_window_size_threshold
        return limit is not None and size is not None and size <= limit

    def _state_update_loop(
        self, times: Any, state: Any, step: Callable[..., Step], names: Sequence[str]
    ) -> Tuple[Any, Dict[str, Any]]:
        """The states and the outputs of all times, [batch, times, ...]."""
        times = convert_to_tensor(times, dtypes.int64)
        state = nest.map_structure(convert_to_tensor, state)
        self._window_initializer(times, state)
        size = array_ops.shape(times)[1]

        def update(number: Any, state: Any, states: Any, outputs: Any, reuse: Any = False) -> Any:
            with variable_scope("state_update_step", reuse=reuse):
                current_times = times[:, number]
                state = self._imputation_step(current_times=current_times, state=state)
                following, made = step(number, current_times, state)
                assert set(made) == set(names)
                outputs = [
                    written.write(number, made[name]) for name, written in zip(names, outputs)
                ]
                flat = nest.flatten(following)
                for value, before in zip(flat, nest.flatten(state)):
                    value.set_shape(before.shape)
                states = [written.write(number, value) for written, value in zip(states, flat)]
                return number + 1, nest.pack_sequence_as(state, flat), states, outputs

        n_times = times.shape[1].value
        kinds = [value.dtype for value in nest.flatten(state)]
        if self._is_unrolled(n_times):
            unrolled: Any = (0, state, [_Values() for _ in kinds], [_Values() for _ in names])
            for number in range(n_times):
                _, state, states, outputs = unrolled
                unrolled = update(constant(number), state, states, outputs, number > 0)
            _, _, states, outputs = unrolled
            stacked: Any = _Values.by_series
        else:
            _, _, states, outputs = while_loop(
                lambda number, *_: gen_ops.less(number, size),
                update,
                [
                    constant(0), state,
                    [TensorArray(kind, size) for kind in kinds],
                    [TensorArray(self.dtype, size) for _ in names],
                ],
            )  # fmt: skip
            stacked = _by_series
        by_name = {name: stacked(output) for name, output in zip(names, outputs)}
        return nest.pack_sequence_as(state, [stacked(value) for value in states]), by_name


def _by_series(array: Any) -> Any:
    """The elements of an array, [times, batch, ...], as [batch, times, ...]."""
    stacked = array.stack()
    others = math_ops.range(2, array_ops.rank(stacked))
    return array_ops.transpose(stacked, array_ops.concat([[1, 0], others], 0))
