"""State space models of periods of fewer values than times, or of broken length."""

from __future__ import annotations

import math
from typing import Any, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.segment_ops import cumsum
from troupe._src.ops.selection_ops import gather, where
from troupe._src.state_space.configuration import StateSpaceModelConfiguration
from troupe._src.state_space.periodic import CycleStateSpaceModel, along_last
from troupe._src.types import dtypes


def _column(tensor: Any) -> Any:
    return array_ops.expand_dims(tensor, -1)


def _row(tensor: Any) -> Any:
    return array_ops.expand_dims(tensor, -2)


class ResolutionCycleModel(CycleStateSpaceModel):
    """A period of few values, which a transition moves by a broken part of their distance.

    Args:
        num_latent_values: The number of values, odd.
        periodicity: The period.
        near_integer_threshold: How near to an integer a number counts as one.
        configuration: The options.

    Raises:
        ValueError: The number is even.
    """

    def __init__(
        self, num_latent_values: int, periodicity: Any, near_integer_threshold: float = 1e-08,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),
    ) -> None:  # fmt: skip
        if num_latent_values % 2 != 1:
            raise ValueError("Only odd numbers of latent values are supported.")
        self._num_latent_values = num_latent_values
        self._true_periodicity = periodicity
        self._near_integer_threshold = near_integer_threshold
        super().__init__(num_latent_values, configuration)

    def _period(self) -> Any:
        return convert_to_tensor(self._true_periodicity)

    def _is_integer(self, value: Any) -> Any:
        number = math_ops.cast(value, self.dtype)
        return gen_ops.less(
            gen_ops.abs(number - gen_ops.round(number)), self._near_integer_threshold
        )

    def _values_of(self, steps: Any) -> Any:
        """By how many values steps move a period."""
        count = math_ops.cast(self._num_latent_values, self.dtype)
        return math_ops.cast(steps, self.dtype) * (
            count / math_ops.cast(self._period(), self.dtype)
        )

    def _numbers(self) -> Any:
        return math_ops.range(self._num_latent_values - 1)

    def transition_to_powers(self, powers: Any) -> Any:
        moved = self._values_of(powers)
        count = float(self._num_latent_values)
        scale = _column(_column(gen_ops.sin(moved * math.pi) / count))
        numbers = along_last(self._numbers(), moved)
        signs = math_ops.cast(1 - 2 * (numbers % 2), self.dtype)
        numbers = math_ops.cast(numbers, self.dtype)
        angle = math.pi / count
        rows = 1.0 / gen_ops.sin(angle * (_column(moved) - numbers - 1))
        differences = _row(numbers) - _column(numbers)
        elements = _row(signs) / gen_ops.sin(angle * (_column(_column(moved)) + differences))
        between = scale * _column(signs) * (_column(rows) + elements)
        # Where sines are 0.
        whole = math_ops.cast(gen_ops.round(moved), dtypes.int64)
        return where(
            self._is_integer(moved), super().transition_to_powers(whole), between
        )

    def transition_power_noise_accumulator(
        self, num_steps: Any, noise_addition_coefficient: Any = 1
    ) -> Any:
        """The covariances of the noise of several transitions.

        Args:
            num_steps: How many, integers, [any].
            noise_addition_coefficient: Ignored: it follows from the period.

        Returns:
            A tensor, [any, state, state].
        """
        steps = convert_to_tensor(num_steps)
        period = self._period()
        count = self._num_latent_values
        of_periods = super().transition_power_noise_accumulator

        def folded() -> Tuple[Any, Any]:
            # The noise of a whole period is the same wherever it begins.
            coefficient = math_ops.cast(period, self.dtype) / float(count)
            one = of_periods(constant(count, steps.dtype), coefficient)
            whole = math_ops.cast(period, steps.dtype)
            periods = math_ops.cast(steps // whole, self.dtype)
            return steps % whole, _column(_column(periods)) * one

        def unfolded() -> Tuple[Any, Any]:
            sizes = array_ops.concat([array_ops.shape(steps), [count - 1, count - 1]], 0)
            return array_ops.identity(steps), creation_ops.zeros(sizes, self.dtype)

        is_folded = gen_ops.logical_and(
            self._is_integer(period),
            gen_ops.greater_equal(period, constant(count, period.dtype)),
        )
        remaining, noise = cond(is_folded, folded, unfolded)
        sums = self._power_sums(math_ops.reduce_max(remaining))
        scale = array_ops.squeeze(self.state_transition_noise_covariance, axis=[-1, -2])
        return noise + scale * gather(sums, remaining)

    def _power_sums(self, n_steps: Any) -> Any:
        """The covariances of noise of 0 to so many steps, of variance 1."""
        count = float(self._num_latent_values)
        moved = self._values_of(math_ops.range(n_steps))
        numbers = _row(self._numbers())
        parity = (_row(numbers) + _column(numbers)) % 2
        signs = math_ops.cast(1 - 2 * parity, self.dtype)
        offsets = _column(moved) - math_ops.cast(numbers, self.dtype)

        def cosecant(value: Any) -> Any:
            return 1.0 / gen_ops.sin(math.pi / count * value)

        def at_zero(value: Any) -> Tuple[Any, Any]:
            return self._is_integer(value / count), gen_ops.cos(value / count * math.pi)

        rows = cosecant(offsets) + cosecant(offsets - 1.0)
        products = _row(rows) * _column(rows)
        first, first_sign = at_zero(offsets)
        second, second_sign = at_zero(offsets - 1.0)
        is_zero = gen_ops.logical_or(first, second)
        own_signs = where(first, first_sign, second_sign)
        are_zero = gen_ops.logical_and(_column(is_zero), _row(is_zero))
        products = where(
            self._is_integer(moved), creation_ops.zeros_like(products), products
        )
        scale = _column(_column(gen_ops.sin(math.pi * moved) / count))
        limits = _column(own_signs) * _row(own_signs)
        terms = signs * where(are_zero, limits, products * scale**2)
        return creation_ops.pad(cumsum(terms), [(1, 0), (0, 0), (0, 0)])
