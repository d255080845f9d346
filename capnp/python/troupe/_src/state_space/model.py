"""Models of time series with a state that a Kalman filter estimates: `StateSpaceModel`."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from troupe._src.contrib.layers import fully_connected
from troupe._src.estimator.spec import ModeKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import eye
from troupe._src.ops.selection_ops import gather
from troupe._src.state_space.generation import generated_series, random_parameters
from troupe._src.state_space.parameters import Parameters
from troupe._src.timeseries.matrices import (
    clip_covariance, matrix_to_powers, power_sums, transform_to_covariance_matrices,
)  # fmt: skip
from troupe._src.timeseries.sequential import Step
from troupe._src.variables.variable_store import variable_scope


class StateSpaceModel(Parameters):
    """A model whose state is a mean, a covariance, and the time of these.

    Args:
        configuration: The options.
    """

    def __init__(self, configuration: Any) -> None:
        super().__init__(configuration)
        self._window_power_sums: Any = None
        self._window_transition_powers: Any = None
        self._window_gap_sizes: Any = None

    def transition_power_noise_accumulator(self, num_steps: Any) -> Any:
        """The covariances of the noise of several transitions.

        Args:
            num_steps: How many, integers, [any].

        Returns:
            A tensor, [any, state, state].
        """
        transform = convert_to_tensor(self.get_noise_transform(), self.dtype)
        noise = math_ops.matmul(transform, self.state_transition_noise_covariance)
        noise = math_ops.matmul(noise, transform, transpose_b=True)
        transition = convert_to_tensor(self.get_state_transition(), self.dtype)
        sums = power_sums(math_ops.reduce_max(num_steps) + 1, transition, noise)
        return gather(sums, num_steps)

    def transition_to_powers(self, powers: Any) -> Any:
        """The matrices of several transitions.

        Args:
            powers: How many, integers, [any].

        Returns:
            A tensor, [any, state, state].
        """
        transition = convert_to_tensor(self.get_state_transition(), self.dtype)
        return matrix_to_powers(transition, powers)

    def _window_initializer(self, times: Any, state: Any) -> None:
        """Computes the transitions over all gaps between the times of windows, once for each."""
        gaps = array_ops.reshape(times[:, 1:] - times[:, :-1], [-1])
        first_gaps = gen_ops.maximum(times[:, 0] - state[2], 0)
        sizes, _ = gen_ops.unique(array_ops.concat([gaps, first_gaps], axis=0))
        self._window_power_sums = self.transition_power_noise_accumulator(sizes)
        self._window_transition_powers = self.transition_to_powers(sizes)
        self._window_gap_sizes = sizes

    def _of_window(self, matrices: Sequence[Any], steps: Any) -> List[Any]:
        """The matrices of numbers of steps, of which each is among the sizes of gaps."""
        sizes = self._window_gap_sizes
        steps = math_ops.cast(steps, sizes.dtype)
        _, places = gen_ops.unique(array_ops.concat([sizes, steps], axis=0))
        places = places[-array_ops.shape(steps)[0] :]
        found = [gather(each, places) for each in matrices]
        for each in found:
            each.set_shape(steps.shape.concatenate(each.shape[-2:]))
        return found

    def _imputation_step(self, current_times: Any, state: Any) -> Any:
        mean, covariance, previous_times = state
        steps = gen_ops.maximum(current_times - previous_times, 0)
        transitions, noise = self._of_window(
            [self._window_transition_powers, self._window_power_sums], steps
        )
        mean = self._kalman_filter.predict_state_mean(mean, transitions)
        covariance = self._kalman_filter.predict_state_var(covariance, transitions, noise)
        return mean, covariance, previous_times + steps

    def _filtering_step(
        self, current_times: Any, current_values: Any, state: Any, predictions: Dict[str, Any]
    ) -> Step:
        mean, covariance, previous_times = state
        is_current = math_ops.reduce_all(gen_ops.equal(current_times, previous_times))
        message = "Attempted to perform filtering without imputation/prediction"
        options = self._configuration
        observation_model = self.get_broadcasted_observation_model(current_times)
        with control_dependencies([Assert(is_current, [message])]):
            mean, covariance, log_likelihood = self._kalman_filter.do_filter(
                estimated_state=mean,
                estimated_state_covariance=clip_covariance(
                    covariance,
                    options.filtering_maximum_posterior_variance_ratio,
                    options.filtering_minimum_posterior_variance,
                ),
                predicted_observation=predictions["mean"],
                predicted_observation_covariance=predictions["covariance"],
                observation=current_values,
                observation_model=observation_model,
                observation_noise=self._observation_noise_covariance,
            )
        filtered = (mean, covariance, current_times)
        log_likelihood.set_shape(current_times.shape)
        predictions["loss"] = -log_likelihood
        predictions["log_likelihood"] = log_likelihood
        if options.filtering_postprocessor is None:
            return filtered, predictions
        processed: Step = options.filtering_postprocessor.process_filtering_step(
            current_times=current_times, current_values=current_values, predicted_state=state,
            filtered_state=filtered, outputs=predictions,
        )  # fmt: skip
        return processed

    def _scale_back_predictions(self, predictions: Dict[str, Any]) -> Dict[str, Any]:
        predictions["mean"] = self._scale_back_data(predictions["mean"])
        predictions["covariance"] = self._scale_back_variance(predictions["covariance"])
        return predictions

    def _prediction_step(self, current_times: Any, state: Any) -> Step:
        mean, covariance, previous_times = state
        is_past = math_ops.reduce_all(gen_ops.less_equal(current_times, previous_times))
        with control_dependencies([Assert(is_past, ["Attempted to predict without imputation"])]):
            observed, variance = self._kalman_filter.observed_from_state(
                state_mean=mean,
                state_var=covariance,
                observation_model=self.get_broadcasted_observation_model(current_times),
                observation_noise=self._observation_noise_covariance,
            )
        size = self.num_features
        observed.set_shape(current_times.shape.concatenate([size]))
        variance.set_shape(current_times.shape.concatenate([size, size]))
        return (mean, covariance, current_times), {"mean": observed, "covariance": variance}

    def _observed_exogenous(self, values: Any, state: Any) -> Any:
        """The state after other features, as observations of all of it."""
        mean, covariance, previous_times = state
        size = self._size()
        observation_model = eye(size, batch_shape=array_ops.shape(values)[:-1], dtype=self.dtype)
        with variable_scope("exogenous_noise_decreasing_covariance"):
            noise = transform_to_covariance_matrices(values, size)
        with variable_scope("exogenous_noise_decreasing_observation"):
            observation = fully_connected(values, size, activation_fn=None)
        mean, covariance = self._kalman_filter.posterior_from_prior_state(
            prior_state=mean,
            prior_state_var=covariance,
            observation=observation,
            observation_model=observation_model,
            predicted_observations=(mean, noise + covariance),
            observation_noise=noise,
        )
        return mean, covariance, previous_times

    def _moved_by_exogenous(self, values: Any, state: Any) -> Any:
        """The state with what other features add to its mean and to its covariance."""
        mean, covariance, previous_times = state
        with variable_scope("exogenous_noise_increasing_mean"):
            mean_addition = fully_connected(values, mean.shape[1].value, activation_fn=None)
        with variable_scope("exogenous_noise_increasing_covariance"):
            addition = transform_to_covariance_matrices(values, covariance.shape[1].value)
        return mean + mean_addition, covariance + addition, previous_times

    def _exogenous_input_step(
        self, current_times: Any, current_exogenous_regressors: Any, state: Any
    ) -> Any:
        if self._configuration.exogenous_noise_decreases:
            state = self._observed_exogenous(current_exogenous_regressors, state)
        if self._configuration.exogenous_noise_increases:
            state = self._moved_by_exogenous(current_exogenous_regressors, state)
        return state

    def _loss_additions(self, times: Any, values: Any, mode: str) -> Any:
        """The log densities of covariances, which a training counts once for a series."""
        if mode != ModeKeys.TRAIN:
            return creation_ops.zeros([], self.dtype)
        options = self._configuration
        count: Any = array_ops.shape(times)[1]
        if self._input_statistics is not None and options.bayesian_prior_weighting:
            count = self._input_statistics.total_observation_count
        prior_of = options.covariance_prior_fn
        total = convert_to_tensor(prior_of(self.state_transition_noise_covariance), self.dtype)
        if options.use_observation_noise and self._observation_noise_covariance is not None:
            noise = prior_of(self._observation_noise_covariance)
            total = total + convert_to_tensor(noise, self.dtype)
        return -(1.0 / math_ops.cast(count, self.dtype)) * total

    def random_model_parameters(self, seed: Optional[int] = None) -> Dict[Any, Any]:
        """Values of parameters, to feed them.

        Args:
            seed: Makes them repeatable.

        Returns:
            {tensor: array}.

        Raises:
            NotImplementedError: The series has several features.
        """
        return random_parameters(self, seed)

    def generate(
        self, number_of_series: int, series_length: int, model_parameters: Any = None,
        seed: Optional[int] = None, add_observation_noise: Optional[bool] = None,
    ) -> Dict[str, Any]:  # fmt: skip
        """Samples of the model, computed in the default session.

        Args:
            number_of_series: How many.
            series_length: Of how many times.
            model_parameters: Values instead of those of tensors, {tensor: array}.
            seed: Makes them repeatable.
            add_observation_noise: Whether there is noise of observations; by default as the model
                has it.

        Returns:
            Times, [series, times], and values, [series, times, 1], by key.

        Raises:
            NotImplementedError: The series has several features.
        """
        if add_observation_noise is None:
            add_observation_noise = self._configuration.use_observation_noise
        return generated_series(
            self, (number_of_series, series_length), model_parameters or {}, seed,
            add_observation_noise,
        )  # fmt: skip
