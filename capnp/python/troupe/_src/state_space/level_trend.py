"""A state space model of a level with a trend."""

from __future__ import annotations

from typing import Any

from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.rearrange_ops import eye
from troupe._src.state_space.configuration import StateSpaceModelConfiguration
from troupe._src.state_space.model import StateSpaceModel
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import variable_scope


class AdderStateSpaceModel(StateSpaceModel):
    """A level, to which each transition adds a trend; both may have noise.

    Args:
        use_level_noise: Whether the level has noise beside that of the trend.
        configuration: The options.
    """

    def __init__(
        self, use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),
    ) -> None:  # fmt: skip
        self.use_level_noise = use_level_noise
        super().__init__(configuration)

    def get_prior_mean(self) -> Any:
        if self._input_statistics is None:
            return super().get_prior_mean()
        with variable_scope(self._variable_scope):
            mean = self._scale_data(self._input_statistics.series_start_moments.mean)
            level = math_ops.reduce_mean(mean)
            first = array_ops.stack([level, constant(0.0, level.dtype)])
            return first + get_variable(
                "prior_state_mean", first.shape, self.dtype, Zeros(),
                trainable=self._configuration.trainable_start_state,
            )  # fmt: skip

    def transition_to_powers(self, powers: Any) -> Any:
        identity = eye(2, batch_shape=array_ops.shape(powers), dtype=self.dtype)
        trend = constant([[0.0, 1.0], [0.0, 0.0]], self.dtype)
        steps = array_ops.expand_dims(array_ops.expand_dims(powers, -1), -1)
        return identity + math_ops.cast(steps, self.dtype) * trend

    def transition_power_noise_accumulator(self, num_steps: Any) -> Any:
        count = math_ops.cast(num_steps, self.dtype)
        transform = convert_to_tensor(self.get_noise_transform(), self.dtype)
        noise = math_ops.matmul(transform, self.state_transition_noise_covariance)
        noise = math_ops.matmul(noise, transform, adjoint_b=True)
        a, b, c, d = array_ops.unstack(array_ops.reshape(noise, [4]))
        # Sums of i and of i^2 over the transitions after each noise.
        last = count - 1
        first_powers = last * (last + 1) / 2
        squares = first_powers * (2 * last + 1) / 3
        elements = [
            count * a + first_powers * (b + c) + squares * d,
            count * b + first_powers * d,
            count * c + first_powers * d,
            count * d,
        ]
        sizes = array_ops.concat([array_ops.shape(num_steps), [2, 2]], 0)
        return array_ops.reshape(array_ops.stack(elements, axis=-1), sizes)

    def get_state_transition(self) -> Any:
        return [[1.0, 1.0], [0.0, 1.0]]

    def get_noise_transform(self) -> Any:
        return [[1.0, 0.0], [0.0, 1.0]] if self.use_level_noise else [[0.0], [1.0]]

    def get_observation_model(self, times: Any) -> Any:
        return constant([1.0, 0.0], self.dtype)
