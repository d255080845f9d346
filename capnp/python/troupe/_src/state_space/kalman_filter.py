"""The filter of linear models with normal noise (Kalman, 1960)."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.graph.scopes import control_dependencies
from troupe._src.linalg.diagonal_ops import matrix_diag_part
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert, verify_tensor_all_finite
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import eye
from troupe._src.timeseries.matrices import batch_times_matrix, mvn_tril_log_prob
from troupe._src.types import dtypes

_ADVICE = (
    "This may occur due to numerically unstable filtering when there is a large difference in "
    "posterior variances, or when inferences are near-deterministic. Considering tuning the "
    "'filtering_maximum_posterior_variance_ratio' or 'filtering_minimum_posterior_variance' "
    "parameters in your StateSpaceModelConfiguration, or tuning the transition matrix."
)


def _times_vector(matrix: Any, vector: Any, adjoint_a: bool = False) -> Any:
    column = array_ops.expand_dims(vector, -1)
    product = math_ops.matmul(matrix, column, adjoint_a=adjoint_a)
    return array_ops.squeeze(product, axis=[-1])


def _between(matrix: Any, covariance: Any) -> Any:
    """matrix * covariance * matrix^T."""
    return math_ops.matmul(math_ops.matmul(matrix, covariance), matrix, adjoint_b=True)


class KalmanFilter:
    """States of several series, with means, [batch, state], and covariances, [batch, state, state].

    Args:
        dtype: Of the states.
        simplified_posterior_covariance_computation: Whether covariances are updated by a shorter
            formula, which rounding may make asymmetric.
    """

    def __init__(
        self,
        dtype: Any = dtypes.float32,
        simplified_posterior_covariance_computation: bool = False,
    ) -> None:
        self._is_simplified = simplified_posterior_covariance_computation
        self.dtype = dtype

    def do_filter(
        self,
        estimated_state: Any,
        estimated_state_covariance: Any,
        predicted_observation: Any,
        predicted_observation_covariance: Any,
        observation: Any,
        observation_model: Any,
        observation_noise: Any,
    ) -> Tuple[Any, Any, Any]:
        """The states after observations.

        Args:
            estimated_state: Means before them.
            estimated_state_covariance: Covariances before them.
            predicted_observation: The means of what is observed of these, [batch, features].
            predicted_observation_covariance: And the covariances.
            observation: What is observed, [batch, features].
            observation_model: Matrices that make observations of states.
            observation_noise: The covariance of noise of observations, one or a batch.

        Returns:
            The means, the covariances, and the log densities of the observations, [batch].

        Raises:
            InvalidArgumentError: When a step runs: a covariance is not finite, or has a negative
                variance.
        """
        transposed = array_ops.matrix_transpose(predicted_observation_covariance)
        symmetric = 0.5 * (predicted_observation_covariance + transposed)
        symmetric = verify_tensor_all_finite(
            symmetric, f"Predicted observation covariance was not finite. {_ADVICE}"
        )
        smallest = math_ops.reduce_min(matrix_diag_part(symmetric))
        message = (
            "The predicted observation covariance has a negative diagonal entry. " + _ADVICE
        )
        with control_dependencies([Assert(smallest >= 0.0, [message, smallest])]):
            factor = gen_ops.cholesky(symmetric)
        log_density = mvn_tril_log_prob(predicted_observation, factor, observation)
        state, covariance = self.posterior_from_prior_state(
            prior_state=estimated_state,
            prior_state_var=estimated_state_covariance,
            observation=observation,
            observation_model=observation_model,
            predicted_observations=(predicted_observation, predicted_observation_covariance),
            observation_noise=observation_noise,
        )
        return state, covariance, log_density

    def predict_state_mean(self, prior_state: Any, transition_matrices: Any) -> Any:
        """The means after transitions.

        Args:
            prior_state: The means before them.
            transition_matrices: Matrices, [batch, state, state].

        Returns:
            A tensor, [batch, state].
        """
        return _times_vector(transition_matrices, prior_state)

    def predict_state_var(
        self, prior_state_var: Any, transition_matrices: Any, transition_noise_sums: Any
    ) -> Any:
        """The covariances after transitions.

        Args:
            prior_state_var: The covariances before them.
            transition_matrices: Matrices, [batch, state, state].
            transition_noise_sums: The covariances of their noise.

        Returns:
            A tensor, [batch, state, state].
        """
        return _between(transition_matrices, prior_state_var) + transition_noise_sums

    def posterior_from_prior_state(
        self,
        prior_state: Any,
        prior_state_var: Any,
        observation: Any,
        observation_model: Any,
        predicted_observations: Tuple[Any, Any],
        observation_noise: Any,
    ) -> Tuple[Any, Any]:
        """The states after observations.

        Args:
            prior_state: Means before them.
            prior_state_var: Covariances before them.
            observation: What is observed, [batch, features].
            observation_model: Matrices that make observations of states.
            predicted_observations: Means and covariances of observations of these states.
            observation_noise: The covariance of noise of observations, one or a batch.

        Returns:
            The means and the covariances.
        """
        mean, covariance = predicted_observations
        both = math_ops.matmul(observation_model, prior_state_var, adjoint_b=True)
        gain = gen_ops.matrix_solve(covariance, both, adjoint=True)  # transposed
        state = prior_state + _times_vector(gain, observation - mean, adjoint_a=True)
        observed = math_ops.matmul(gain, observation_model, adjoint_a=True)
        identity = eye(array_ops.shape(observed)[1], dtype=observed.dtype)
        rest = array_ops.expand_dims(identity, 0) - observed
        if self._is_simplified:
            return state, math_ops.matmul(rest, prior_state_var)
        noise = convert_to_tensor(observation_noise)
        if noise.shape.rank == 2:
            noised = batch_times_matrix(gain, noise, adj_x=True)
        else:
            noised = math_ops.matmul(gain, noise, adjoint_a=True)
        return state, _between(rest, prior_state_var) + math_ops.matmul(noised, gain)

    def observed_from_state(
        self, state_mean: Any, state_var: Any, observation_model: Any, observation_noise: Any
    ) -> Tuple[Any, Any]:
        """What is observed of states.

        Args:
            state_mean: Their means.
            state_var: Their covariances.
            observation_model: Matrices that make observations of states.
            observation_noise: The covariance of noise of observations, one or a batch.

        Returns:
            The means, [batch, features], and the covariances of observations.
        """
        row = array_ops.expand_dims(state_mean, 1)
        mean = math_ops.matmul(row, observation_model, adjoint_b=True)
        covariance = _between(observation_model, state_var) + observation_noise
        return array_ops.squeeze(mean, axis=[1]), covariance
