"""The parameters of state space models: covariances of noise, and the state before a series."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.rearrange_ops import eye
from troupe._src.state_space.configuration import StateSpaceModelConfiguration
from troupe._src.state_space.kalman_filter import KalmanFilter
from troupe._src.timeseries.matrices import variable_covariance_matrix
from troupe._src.timeseries.sequential import SequentialTimeSeriesModel
from troupe._src.types import dtypes
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import get_variable_scope, variable_scope


class Parameters(SequentialTimeSeriesModel):
    """The parameters of a model of the form

        state[t] = transition * state[t - 1] + noise transform * transition noise
        value[t] = observation model[t] * state[t] + observation noise

    A class of models has `get_state_transition`, `get_noise_transform` and
    `get_observation_model`. Variables are in the scope in which the model was made.

    Args:
        configuration: The options.
    """

    def __init__(self, configuration: StateSpaceModelConfiguration) -> None:
        self._configuration = configuration
        postprocessor = configuration.filtering_postprocessor
        more = postprocessor.output_names if postprocessor is not None else []
        super().__init__(
            train_output_names=["mean", "covariance", "log_likelihood", *more],
            predict_output_names=["mean", "covariance"],
            num_features=configuration.num_features,
            normalize_features=True,
            dtype=configuration.dtype,
            exogenous_feature_columns=configuration.exogenous_feature_columns,
            exogenous_update_condition=configuration.exogenous_update_condition,
            static_unrolling_window_size_threshold=(
                configuration.static_unrolling_window_size_threshold
            ),
        )
        self._kalman_filter: Any = None
        self.prior_state_mean: Any = None
        self.prior_state_var: Any = None
        self.state_transition_noise_covariance: Any = None
        self._observation_noise_covariance: Any = None
        self._observation_transition_tradeoff_log_scale: Any = None
        self._variable_scope = get_variable_scope()

    def get_state_transition(self) -> Any:
        """The matrix of a transition, [state, state]."""
        raise NotImplementedError("Abstract method")

    def get_noise_transform(self) -> Any:
        """What makes noise of a state of the noise of a transition, [state, noise]."""
        raise NotImplementedError("Abstract method")

    def get_observation_model(self, times: Any) -> Any:
        """What makes values of states: [state], [features, state] or [batch, features, state].

        Args:
            times: Integers, [batch].
        """
        raise NotImplementedError("Abstract method")

    def _size(self) -> int:
        """Of the state."""
        size: Optional[int] = convert_to_tensor(self.get_state_transition()).shape[0].value
        assert size is not None
        return size

    def _noise_size(self) -> int:
        """Of the noise of a transition."""
        transform = convert_to_tensor(self.get_noise_transform(), self.dtype)
        size: Optional[int] = transform.shape[1].value
        assert size is not None
        return size

    def _tradeoff_variable(self) -> Any:
        bias = self._configuration.transition_covariance_initial_log_scale_bias
        return get_variable(
            "observation_transition_tradeoff_log_scale", dtype=self.dtype,
            initializer=constant(-bias, self.dtype),
        )  # fmt: skip

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        with variable_scope(self._variable_scope):
            if observation_transition_tradeoff_log is None:
                observation_transition_tradeoff_log = self._tradeoff_variable()
            self._observation_transition_tradeoff_log_scale = observation_transition_tradeoff_log
            self.state_transition_noise_covariance = self.get_state_transition_noise_covariance()

    def _set_input_statistics(self, input_statistics: Any = None) -> None:
        super().initialize_graph(input_statistics)

    def initialize_graph(self, input_statistics: Any = None) -> None:
        self._set_input_statistics(input_statistics)
        self._define_parameters()
        with variable_scope(self._variable_scope):
            self._observation_noise_covariance = convert_to_tensor(
                self.get_observation_noise_covariance(), self.dtype
            )
        self._kalman_filter = KalmanFilter(dtype=self.dtype)
        self.prior_state_var = self.get_prior_covariance()
        self.prior_state_mean = self.get_prior_mean()

    def get_prior_covariance(self) -> Any:
        """The covariance of the state before a series, [state, state]."""
        with variable_scope(self._variable_scope):
            size = self._size()
            if not self._configuration.trainable_start_state:
                return eye(size, dtype=self.dtype)
            covariance = variable_covariance_matrix(size, "prior_state_var", self.dtype)
            if self._input_statistics is None:
                return covariance
            variance = self._scale_variance(self._input_statistics.series_start_moments.variance)
            return covariance * gen_ops.maximum(math_ops.reduce_max(variance), 1.0)

    def get_prior_mean(self) -> Any:
        """The mean of the state before a series, [state]."""
        with variable_scope(self._variable_scope):
            is_trained = self._configuration.trainable_start_state
            return get_variable(
                "prior_state_mean", [self._size()], self.dtype, trainable=is_trained
            )

    def _start_variance(self) -> Any:
        """Of values at the start of a series, scaled; None without statistics."""
        if self._input_statistics is None:
            return None
        return self._scale_variance(self._input_statistics.series_start_moments.variance)

    def get_state_transition_noise_covariance(
        self, minimum_initial_variance: float = 1e-05
    ) -> Any:
        """The covariance of the noise of a transition, [noise, noise].

        Args:
            minimum_initial_variance: Below which variance it does not begin, before it is scaled.
        """
        variance = self._start_variance()
        scale: Any = 0.0
        if variance is not None:
            count = math_ops.cast(self._input_statistics.total_observation_count, self.dtype)
            mean = math_ops.reduce_mean(variance) / count
            scale = gen_ops.log(gen_ops.maximum(mean, minimum_initial_variance))
        return variable_covariance_matrix(
            self._noise_size(), "state_transition_noise", self.dtype,
            initial_overall_scale_log=scale - self._observation_transition_tradeoff_log_scale,
        )  # fmt: skip

    def get_observation_noise_covariance(self, minimum_initial_variance: float = 1e-05) -> Any:
        """The covariance of the noise of observations, [features, features].

        Args:
            minimum_initial_variance: Below which variance it does not begin, before it is scaled.
        """
        name = "observation_noise_covariance"
        if not self._configuration.use_observation_noise:
            sizes = [self.num_features, self.num_features]
            return creation_ops.zeros(sizes, self.dtype, name=name)
        variance = self._start_variance()
        if variance is not None:
            variance = gen_ops.maximum(variance, minimum_initial_variance)
        return variable_covariance_matrix(
            self.num_features, name, self.dtype, initial_diagonal_values=variance,
            initial_overall_scale_log=self._observation_transition_tradeoff_log_scale,
        )  # fmt: skip

    def get_start_state(self) -> Any:
        if self._input_statistics is None:
            start_time = creation_ops.zeros([], dtypes.int64)
        else:
            start_time = self._input_statistics.start_time
        return self.prior_state_mean, self.prior_state_var, start_time - 1

    def get_features_for_timesteps(self, timesteps: Any) -> Any:
        """Features of times that are known beforehand: none.

        Args:
            timesteps: Integers, [batch].

        Returns:
            A tensor, [batch, 0].
        """
        sizes = array_ops.stack([array_ops.shape(timesteps)[0], 0])
        return creation_ops.zeros(sizes, self.dtype)

    def get_broadcasted_observation_model(self, times: Any) -> Any:
        """The observation models of times, [batch, features, state].

        Args:
            times: Integers, [batch].
        """
        model = convert_to_tensor(self.get_observation_model(times), self.dtype)
        rank = model.shape.with_rank_at_least(1).with_rank_at_most(3).rank
        count = array_ops.shape(times)[0]
        if rank == 1:
            row = array_ops.reshape(model, [1, 1, -1])
            return gen_ops.tile(row, array_ops.stack([count, self.num_features, 1]))
        if rank == 2:
            one = array_ops.expand_dims(model, 0)
            return gen_ops.tile(one, array_ops.stack([count, 1, 1]))
        return model
