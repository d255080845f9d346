"""Samples of state space models."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from troupe._src.ops import math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.timeseries.feature_keys import TrainEvalFeatures


def _check_univariate(model: Any) -> None:
    if model.num_features != 1:
        raise NotImplementedError(
            "Generation for multivariate state space models is not currently implemented."
        )


def random_parameters(model: Any, seed: Optional[int]) -> Dict[Any, Any]:
    """Values of the parameters of a model.

    Args:
        model: The model.
        seed: Makes them repeatable.

    Returns:
        {tensor: array}.

    Raises:
        NotImplementedError: The series has several features.
    """
    _check_univariate(model)
    if seed:
        np.random.seed(seed)
    sizes: Any = convert_to_tensor(model.get_noise_transform()).shape.as_list()
    n_states, n_noises = sizes
    variances = 1.0 / np.random.gamma(shape=10.0, scale=10.0, size=[n_noises])
    start = np.random.normal(size=[n_states])
    found: Dict[Any, Any] = {}
    if model.prior_state_mean is not None:
        found[model.prior_state_mean] = start
    if model.state_transition_noise_covariance is not None:
        found[model.state_transition_noise_covariance] = np.diag(variances)
    if model.prior_state_var is not None:
        found[model.prior_state_var] = np.zeros([n_states, n_states])
    if model._configuration.use_observation_noise:
        variance = 1.0 / np.random.gamma(shape=4, scale=4)
        found[model._observation_noise_covariance] = [[variance]]
    return found


def generated_series(
    model: Any, counts: Tuple[int, int], parameters: Dict[Any, Any], seed: Optional[int],
    is_noisy: bool,
) -> Dict[str, Any]:  # fmt: skip
    """Samples of a model, computed in the default session.

    Args:
        model: The model.
        counts: Of how many series, and of how many times.
        parameters: Values instead of those of tensors, {tensor: array}.
        seed: Makes them repeatable.
        is_noisy: Whether there is noise of observations.

    Returns:
        Times, [series, times], and values, [series, times, 1], by key.

    Raises:
        NotImplementedError: The series has several features.
    """
    if seed is not None:
        np.random.seed(seed)
    _check_univariate(model)
    n_series, n_times = counts

    def value(given: Any, dtype: Any = None) -> Any:
        return convert_to_tensor(given, dtype).eval(feed_dict=parameters)

    def parameter(given: Any) -> Any:
        return parameters[given] if given in parameters else value(given)

    transition = value(model.get_state_transition(), model.dtype)
    transform = value(model.get_noise_transform())
    deviations = np.sqrt(np.diag(parameter(model.state_transition_noise_covariance)))
    deviation = 0.0
    if is_noisy:
        deviation = np.sqrt(parameter(model._observation_noise_covariance)[0][0])
    state = np.tile(parameter(model.prior_state_mean)[None], [n_series, 1])
    numbers = math_ops.range(n_times)
    observation_models = value(model.get_broadcasted_observation_model(times=numbers))
    observations = np.zeros([n_series, n_times])
    for time, observation_model in enumerate(observation_models):
        noise = np.random.normal(
            loc=np.zeros([n_series, transform.shape[1]]), scale=np.tile(deviations, [n_series, 1])
        )
        state = state @ transition.T + noise @ transform.T
        mean = state @ observation_model[0].T
        observations[:, time] = np.random.normal(mean, deviation) if is_noisy else mean
    times = np.tile(np.arange(n_times)[None], [n_series, 1])
    return {TrainEvalFeatures.TIMES: times, TrainEvalFeatures.VALUES: observations[..., None]}
