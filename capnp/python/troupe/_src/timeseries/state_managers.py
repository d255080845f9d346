"""Which state of a model the windows of a training begin with."""

from __future__ import annotations

from typing import Any, Dict

from troupe._src.control_flow import nest
from troupe._src.estimator.spec import ModeKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.selection_ops import where
from troupe._src.timeseries.feature_keys import FilteringFeatures, State, TrainEvalFeatures
from troupe._src.timeseries.model import ModelOutputs
from troupe._src.timeseries.state_tables import TupleOfTensorsLookup, replicate_state
from troupe._src.types import dtypes


class PassthroughStateManager:
    """Each window begins with the state that the model begins with."""

    def __init__(self) -> None:
        self._input_statistics: Any = None
        self._graph_initialized = False

    def initialize_graph(self, model: Any, input_statistics: Any = None) -> None:
        """Makes what it needs in the graph.

        Args:
            model: The model, which has been initialized.
            input_statistics: Statistics of the series, or None.
        """
        self._graph_initialized = True
        self._input_statistics = input_statistics

    def define_loss(self, model: Any, features: Dict[str, Any], mode: str) -> ModelOutputs:
        """The loss of a batch of windows.

        Args:
            model: The model.
            features: Times, values, and others, by key.
            mode: One of `ModeKeys`.

        Returns:
            The loss, with what else the model gives.

        Raises:
            ValueError: There is a state among the features.
        """
        if State.STATE_TUPLE in features:
            raise ValueError("Overriding start state is not supported for this model.")
        outputs: ModelOutputs = model.define_loss(features, mode)
        return outputs


class _OverridableStateManager(PassthroughStateManager):
    """Features may have the state to begin with, other than to train."""

    def _define_loss_with_saved_state(
        self, model: Any, features: Dict[str, Any], mode: str
    ) -> ModelOutputs:
        raise NotImplementedError("Abstract method")

    def define_loss(self, model: Any, features: Dict[str, Any], mode: str) -> ModelOutputs:
        if FilteringFeatures.STATE_TUPLE not in features:
            return self._define_loss_with_saved_state(model, features, mode)
        if mode == ModeKeys.TRAIN:
            raise ValueError(
                "Overriding saved state for training is not supported (but a value for feature "
                f"{FilteringFeatures.STATE_TUPLE} was specified)."
            )
        start_state = features.pop(FilteringFeatures.STATE_TUPLE)
        outputs: ModelOutputs = model.get_batch_loss(
            features=features, mode=mode, state=start_state
        )
        return outputs


class FilteringOnlyStateManager(_OverridableStateManager):
    """Each window begins with the state that the model begins with, unless features have one."""

    def _define_loss_with_saved_state(
        self, model: Any, features: Dict[str, Any], mode: str
    ) -> ModelOutputs:
        outputs: ModelOutputs = model.define_loss(features, mode)
        return outputs


class ChainingStateManager(_OverridableStateManager):
    """Windows begin with the states that others have ended with, as far as there are any.

    States are kept in tables, by how many intervals have passed.

    Args:
        state_saving_interval: Of how many times there is one state.
        checkpoint_state: Whether checkpoints have the states.
    """

    def __init__(self, state_saving_interval: int = 20, checkpoint_state: bool = False) -> None:
        super().__init__()
        self._checkpoint_state = checkpoint_state
        self._state_saving_interval = state_saving_interval
        self._start_state: Any = None
        self._cached_states: Any = None

    def initialize_graph(self, model: Any, input_statistics: Any = None) -> None:
        super().initialize_graph(model, input_statistics)
        self._start_state = model.get_start_state()
        self._cached_states = TupleOfTensorsLookup(
            dtypes.int64, self._start_state, empty_key=-1, deleted_key=-2, name="cached_states",
            checkpoint=self._checkpoint_state,
        )  # fmt: skip

    def _define_loss_with_saved_state(
        self, model: Any, features: Dict[str, Any], mode: str
    ) -> ModelOutputs:
        if not self._graph_initialized:
            raise ValueError(
                "ChainingStateManager requires initialize_graph() to be called before use."
            )
        times = features[TrainEvalFeatures.TIMES]
        loss, states, predictions = model.per_step_batch_loss(
            features=features, mode=mode, state=self._states_at(times[:, 0])
        )
        # The next time of the last one of a window is not known.
        following = array_ops.concat([times[:, 1:], times[:, -1:] + 1], axis=1)
        numbers = gen_ops.maximum(self._number_of(following), self._number_of(times) + 1)
        with control_dependencies([self._cached_states.insert(numbers, states)]):
            loss = array_ops.identity(loss)
        predictions["observed"] = features[TrainEvalFeatures.VALUES]

        def last(state: Any) -> Any:
            return array_ops.expand_dims(state[:, -1][-1], 0)

        return ModelOutputs(loss, nest.map_structure(last, states), predictions, times)

    def _number_of(self, time: Any) -> Any:
        return time // self._state_saving_interval

    def _states_at(self, times: Any) -> Any:
        """The state before each time: of the table, or the first one where the series begins."""
        numbers = self._number_of(times)
        found = self._cached_states.lookup(math_ops.cast(numbers, dtypes.int64))
        start_time = 0 if self._input_statistics is None else self._input_statistics.start_time
        is_start = gen_ops.equal(numbers, self._number_of(start_time))
        starts = replicate_state(self._start_state, array_ops.shape(times)[0])
        return nest.map_structure(lambda start, state: where(is_start, start, state), starts, found)
