"""What a filtered state becomes where an observation may be an anomaly."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

from troupe._src.control_flow import nest
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.timeseries.matrices import cauchy_log_prob, entropy_matched_cauchy_scale


class FilteringStepPostprocessor:
    """Changes the state and the outputs of a model after each observation."""

    output_names: List[str] = []  # of the outputs that it adds

    def process_filtering_step(
        self,
        current_times: Any,
        current_values: Any,
        predicted_state: Any,
        filtered_state: Any,
        outputs: Dict[str, Any],
    ) -> Tuple[Any, Dict[str, Any]]:
        """Called after each observation.

        Args:
            current_times: Integers, [batch].
            current_values: What is observed, [batch, features].
            predicted_state: The state before it.
            filtered_state: The state after it.
            outputs: `mean`, `covariance`, `loss` and `log_likelihood`.

        Returns:
            The state and the outputs.
        """
        raise NotImplementedError("Abstract method")


def cauchy_alternative_to_gaussian(
    current_times: Any, current_values: Any, outputs: Dict[str, Any]
) -> Any:
    """The log density of anomalies: of Cauchy distributions of the entropy of the predicted ones.

    Args:
        current_times: Ignored.
        current_values: What is observed, [batch, features].
        outputs: `mean` and `covariance` of what was predicted.

    Returns:
        A tensor, [batch].
    """
    scale = entropy_matched_cauchy_scale(outputs["covariance"])
    densities = cauchy_log_prob(outputs["mean"], scale, current_values)
    return math_ops.reduce_sum(densities, axis=1)


def _mixed(first: Any, second: Any, weight: Any) -> Any:
    """weight * first + (1 - weight) * second; of integers, which are equal, these."""
    if not first.dtype.is_floating:
        is_same = math_ops.reduce_all(gen_ops.equal(first, second))
        with control_dependencies([Assert(is_same, [first, second])]):
            return array_ops.identity(first)
    part = weight
    for _ in range((first.shape.rank or 1) - 1):
        part = array_ops.expand_dims(part, -1)
    mixed = part * first + (1.0 - part) * second
    mixed.set_shape(first.shape)
    return mixed


class StateInterpolatingAnomalyDetector(FilteringStepPostprocessor):
    """States between those before and after an observation, by how likely it is no anomaly.

    Args:
        anomaly_log_likelihood: The log density of anomalies, a function of times, values, outputs.
        anomaly_prior_probability: That of an anomaly.
        responsibility_scaling: Below 1, both kinds count more alike.
    """

    output_names = ["anomaly_score"]

    def __init__(
        self,
        anomaly_log_likelihood: Callable[..., Any] = cauchy_alternative_to_gaussian,
        anomaly_prior_probability: float = 0.01,
        responsibility_scaling: float = 1.0,
    ) -> None:
        self._anomaly_log_likelihood = anomaly_log_likelihood
        self._responsibility_scaling = responsibility_scaling
        self._anomaly_prior_probability = anomaly_prior_probability

    def process_filtering_step(
        self,
        current_times: Any,
        current_values: Any,
        predicted_state: Any,
        filtered_state: Any,
        outputs: Dict[str, Any],
    ) -> Tuple[Any, Dict[str, Any]]:
        prior = convert_to_tensor(self._anomaly_prior_probability, current_values.dtype)
        anomalous = gen_ops.log(prior) + self._anomaly_log_likelihood(
            current_times=current_times, current_values=current_values, outputs=outputs
        )
        usual = outputs["log_likelihood"] + gen_ops.log(1.0 - prior)
        score = anomalous - usual
        weight = gen_ops.sigmoid(-self._responsibility_scaling * score)
        state = nest.map_structure(
            lambda first, second: _mixed(first, second, weight), filtered_state, predicted_state
        )
        outputs["loss"] = -(weight * usual + (1.0 - weight) * anomalous)
        outputs["anomaly_score"] = score
        return state, outputs
