"""The shapes of batches and events that are given in place of a distribution's own."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.checks.rank_ops import assert_rank
from troupe._src.distributions.arguments import checked
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import sizes_in
from troupe._src.transformed_distributions.static_choices import (
    Condition,
    all_of,
    condition,
    length_of,
    negated,
    pick_number,
    pick_vector,
)
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


class Override:
    """A shape that takes the place of another one, unless it is empty."""

    def __init__(self, shape: Any, is_scalar: Tensor, validate_args: bool, name: str) -> None:
        """A shape in the place of that of a distribution.

        Args:
            shape: The sizes; None for none.
            is_scalar: Whether the distribution's own shape is empty.
            validate_args: Whether steps check what is not known before.
            name: Which argument it is.

        Raises:
            TypeError: The sizes are no integers.
            ValueError: They are no vector, or not positive, or both shapes have sizes.
        """
        sizes = convert_to_tensor([] if shape is None else shape, dtypes.int32, name=name)
        if sizes.shape.rank not in (None, 1):
            raise ValueError(f"{name}: shape override must be a vector")
        checks = []
        if sizes.shape.rank is None and validate_args:
            checks.append(assert_rank(sizes, 1, message="shape override must be a vector"))
        self.length: Any = length_of(sizes) if sizes.shape.rank else array_ops.size(sizes)
        self.is_given: Condition = (
            self.length > 0 if isinstance(self.length, int) else gen_ops.greater(self.length, 0)
        )
        known = array_ops.get_static_value(sizes)
        text = "shape override must have positive elements"
        if known is not None and (known <= 0).any():
            raise ValueError(f"{name}: {text}")
        if known is None and validate_args:
            checks.append(assert_ops.assert_positive(sizes, message=text))
        are_both = all_of(negated(condition(is_scalar)), self.is_given)
        if are_both is True:
            raise ValueError(f"{name}: base distribution not scalar")
        if are_both is not False and validate_args:
            text = "base distribution not scalar"
            checks.append(assert_ops.assert_equal(are_both, False, message=text))
        self.sizes = checked(sizes, *checks) if checks else sizes
        self._static = sizes_in(sizes)

    @property
    def may_be(self) -> bool:
        """Whether there is one in some steps."""
        return self.is_given is not False

    def shape(self, own: TensorShape) -> TensorShape:
        """The shape in the place of a distribution's own, as far as it is known."""
        return self._static if self.may_be else own

    def sizes_or(self, own: Any) -> Any:
        """Its sizes, or where it is empty those of a distribution."""
        return pick_vector(self.is_given, self.sizes, own)


class Rotation:
    """The order of axes where the axes of events are drawn as samples.

    Then they come before those of the batch, and have to come last.
    """

    def __init__(self, is_needed: Condition, length: Any) -> None:
        """A rotation of so many axes, where it is needed."""
        self.is_needed = is_needed
        self.ndims = pick_number(is_needed, length, 0)
        self._length = length

    def sample_shape(self, count: Any, batch: Tensor, event: Tensor) -> Any:
        """The shape of what is drawn, which has the number of samples before or after the rest."""
        number, none = [count], convert_to_tensor([], dtypes.int32)
        first = pick_vector(self.is_needed, none, number)
        last = pick_vector(self.is_needed, number, none)
        return array_ops.concat([first, batch, event, last], 0)

    def rotated(self, x: Any, to_right: bool = False) -> Any:
        """The tensor with the first axes last, or back."""
        if self.is_needed is False:
            return x
        rank: Optional[int] = x.shape.rank
        known = rank is not None and isinstance(self.ndims, int)
        axes: Any = rank if known else array_ops.rank(x)
        count = axes - self.ndims if to_right else self.ndims
        if known:
            return array_ops.transpose(x, [*range(count, axes), *range(count)])
        order = [math_ops.range(count, axes), math_ops.range(0, count)]
        return array_ops.transpose(x, array_ops.concat(order, 0))

    def reduced_axes(self) -> Any:
        """The axes of probabilities of samples that are those of one event."""
        start = self.ndims - self._length
        if isinstance(start, int) and isinstance(self.ndims, int):
            return list(range(start, self.ndims))
        return math_ops.range(start, self.ndims)
