"""State space models of periods."""

from __future__ import annotations

from typing import Any

from troupe._src.linalg.diagonal_ops import matrix_diag
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.state_space.configuration import StateSpaceModelConfiguration
from troupe._src.state_space.model import StateSpaceModel
from troupe._src.types import dtypes


def along_last(vector: Any, like: Any) -> Any:
    """A vector with as many axes of size 1 before its own as a tensor has.

    Args:
        vector: The vector.
        like: The tensor.

    Returns:
        A tensor.
    """
    ones = creation_ops.ones([array_ops.rank(like)], dtypes.int32)
    sizes = array_ops.concat([ones, array_ops.shape(vector)], 0)
    return array_ops.reshape(vector, sizes)


class CycleStateSpaceModel(StateSpaceModel):
    """As many values as a period has, of which the sum is 0, so that one of them is not kept.

    Args:
        periodicity: The period, an integer.
        configuration: The options.
    """

    def __init__(
        self, periodicity: int,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),
    ) -> None:  # fmt: skip
        self._periodicity = periodicity
        super().__init__(configuration)

    def get_state_transition(self) -> Any:
        return self.transition_to_powers(creation_ops.ones([], dtypes.int32))

    def get_noise_transform(self) -> Any:
        size = self._periodicity - 1
        return constant([[1.0]] + [[0.0]] * (size - 1), self.dtype)

    def transition_to_powers(self, powers: Any) -> Any:
        steps = convert_to_tensor(powers) % self._periodicity
        numbers = along_last(
            math_ops.range(self._periodicity - 1, dtype=steps.dtype), steps
        )
        by_row = array_ops.expand_dims(steps, -1)
        # The value that is not kept is minus the sum of the others.
        is_left_out = gen_ops.equal(numbers + 1, by_row)
        rows, columns = array_ops.expand_dims(numbers, -1), array_ops.expand_dims(numbers, -2)
        difference = (rows - columns) % self._periodicity
        is_moved = gen_ops.equal(difference, array_ops.expand_dims(by_row, -1))
        left_out = array_ops.expand_dims(math_ops.cast(is_left_out, self.dtype), -1)
        return math_ops.cast(is_moved, self.dtype) - left_out

    def transition_power_noise_accumulator(
        self, num_steps: Any, noise_addition_coefficient: Any = 1
    ) -> Any:
        """The covariances of the noise of several transitions.

        Args:
            num_steps: How many, integers, [any].
            noise_addition_coefficient: What the noise is scaled by.

        Returns:
            A tensor, [any, state, state].
        """
        scale = array_ops.squeeze(self.state_transition_noise_covariance, axis=[-1, -2])
        coefficient = convert_to_tensor(noise_addition_coefficient, self.dtype)
        steps = array_ops.expand_dims(num_steps, -1)
        numbers = along_last(math_ops.range(self._periodicity, dtype=steps.dtype), num_steps)
        remaining = (numbers - (steps - 1)) % self._periodicity
        # How often noise has been added to each value.
        counts = math_ops.cast((steps + remaining) // self._periodicity, self.dtype)
        added = array_ops.expand_dims(coefficient, -1) * scale * counts
        before = array_ops.concat([added[..., -1:], added[..., :-2]], axis=-1)
        diagonal = matrix_diag(added[..., :-1] + before)
        beside = matrix_diag(added)
        zeros = creation_ops.zeros_like(beside[..., :-1, 0:1])
        upper = array_ops.concat([zeros, beside[..., :-1, :-2]], axis=-1)
        return diagonal - upper - array_ops.matrix_transpose(upper)

    def get_observation_model(self, times: Any) -> Any:
        return constant([1.0] + [0.0] * (self._periodicity - 2), self.dtype)
