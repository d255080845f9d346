"""The options of state space models: `StateSpaceModelConfiguration`."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Sequence

from troupe._src.timeseries.matrices import log_noninformative_covariance_prior
from troupe._src.types import dtypes


class StateSpaceModelConfiguration(NamedTuple):
    """The options of a state space model."""

    num_features: int = 1  # of the series
    use_observation_noise: bool = True
    dtype: Any = dtypes.float32
    # The log of the prior density of covariances, which is added to losses.
    covariance_prior_fn: Callable[[Any], Any] = log_noninformative_covariance_prior
    # Whether priors count once for a series, rather than once for a window.
    bayesian_prior_weighting: bool = True
    filtering_postprocessor: Any = None  # a FilteringStepPostprocessor
    trainable_start_state: bool = False
    exogenous_noise_increases: bool = True  # other features move states, and widen them
    exogenous_noise_decreases: bool = False  # or are as observations of them
    exogenous_feature_columns: Sequence[Any] = ()
    exogenous_update_condition: Optional[Callable[..., Any]] = None
    filtering_maximum_posterior_variance_ratio: float = 1e6
    filtering_minimum_posterior_variance: float = 0.0
    transition_covariance_initial_log_scale_bias: float = -5.0
    static_unrolling_window_size_threshold: Optional[int] = None
