"""Bijectors that move elements: permutations, and other shapes."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.checked import checked
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import sizes_in, zeros
from troupe._src.ops.order_ops import sort
from troupe._src.ops.rearrange_ops import boolean_mask
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape, as_shape, unknown_shape


@set_module("troupe.contrib.distributions.bijectors")
class Permute(Bijector):
    """y[..., i] = x[..., permutation[i]]."""

    def __init__(
        self, permutation: Any, validate_args: bool = False, name: Optional[str] = None
    ) -> None:
        """The bijector.

        Args:
            permutation: A vector of integers that has each of 0, 1, ..., size - 1 once.
            validate_args: Whether steps check that, where it is not known before.
            name: The name scope of its nodes.

        Raises:
            TypeError: `permutation` is not of integers.
            ValueError: It is known not to be a permutation.
        """
        text = "Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`."
        with name_scope(name, "permute"):
            order = convert_to_tensor(permutation, name="permutation")
            if not order.dtype.is_integer:
                raise TypeError(f"permutation.dtype ({order.dtype.name}) should be `int`-like.")
            known = array_ops.get_static_value(order)
            if known is not None:
                if sorted(known.tolist()) != list(range(known.size)):
                    raise ValueError(text)
            elif validate_args:
                wanted = math_ops.cast(math_ops.range(0, array_ops.size(order)), order.dtype)
                order = checked(order, assert_ops.assert_equal(sort(order), wanted, message=text))
            self._permutation = order
        super().__init__(
            is_constant_jacobian=True, validate_args=validate_args, forward_min_event_ndims=1,
            name=name or "permute",
        )  # fmt: skip

    @property
    def permutation(self) -> Tensor:
        """Where each element comes from."""
        return self._permutation

    def _forward(self, x: Any) -> Any:
        return gather(x, self.permutation, axis=-1)

    def _inverse(self, y: Any) -> Any:
        return gather(y, gen_ops.invert_permutation(self.permutation), axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return convert_to_tensor(0.0, x.dtype)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return convert_to_tensor(0.0, y.dtype)


@set_module("troupe.contrib.distributions.bijectors")
class Reshape(Bijector):
    """The same elements, in events of another shape."""

    def __init__(
        self,
        event_shape_out: Any,
        event_shape_in: Any = (-1,),
        validate_args: bool = False,
        name: Optional[str] = None,
    ) -> None:
        """The bijector.

        Args:
            event_shape_out: The sizes of a y, one of which may be -1: what is left.
            event_shape_in: The sizes of an x, likewise.
            validate_args: Whether steps check sizes that are not known before.
            name: The name scope of its nodes.

        Raises:
            TypeError: Sizes are not integers.
            ValueError: They are no vector.
            InvalidArgumentError: Sizes are checked, and one is known to be less than -1.
        """
        self._checks: List[Operation] = []
        with name_scope(name, "reshape"):
            self._out = self._sizes(event_shape_out, "event_shape_out", validate_args)
            self._in = self._sizes(event_shape_in, "event_shape_in", validate_args)
        super().__init__(
            is_constant_jacobian=True, validate_args=validate_args, forward_min_event_ndims=0,
            name=name or "reshape",
        )  # fmt: skip

    def _sizes(self, sizes: Any, name: str, validate_args: bool) -> Tensor:
        vector = convert_to_tensor(sizes, name=name, preferred_dtype=dtypes.int32)
        if not vector.dtype.is_integer:
            raise TypeError(f"{name} dtype ({vector.dtype.name}) should be `int`-like.")
        if vector.shape.rank is not None and vector.shape.rank > 1:
            raise ValueError(f"`{name}` rank ({vector.shape.rank}) should be <= 1.")
        if validate_args:
            least = convert_to_tensor(-1, vector.dtype)
            unknown = math_ops.cast(gen_ops.equal(vector, least), dtypes.int32)
            self._checks += [
                assert_ops.assert_less_equal(
                    array_ops.rank(vector), 1, message=f"`{name}` rank should be <= 1."
                ),
                assert_ops.assert_greater_equal(
                    vector, least,
                    message=f"`{name}` elements must be either positive integers or `-1`.",
                ),
            ]  # fmt: skip
            if array_ops.get_static_value(vector) is None:
                text = f"`{name}` elements must have at most one `-1`."
                count = math_ops.reduce_sum(unknown)
                self._checks.append(assert_ops.assert_less_equal(count, 1, message=text))
        return vector

    def _reshaped(self, x: Tensor, given: Tensor, sizes_out: Tensor) -> Tensor:
        """The events of x, of the sizes of the one vector, in those of the other one."""
        ndims: Any = given.shape.with_rank_at_least(1)[0].value
        checks = [*self._checks, *self._check_events(x, given, ndims)]
        value = checked(x, *checks) if checks else x
        if ndims is None:
            ndims = array_ops.shape(given)[0]
        rank: Any = value.shape.rank
        if rank is None:
            rank = array_ops.rank(value)
        elif isinstance(ndims, int) and ndims == rank:
            return array_ops.reshape(value, sizes_out)
        batch = array_ops.shape(value)[: rank - ndims]
        sizes = array_ops.concat([batch, math_ops.cast(sizes_out, dtypes.int32)], 0)
        found = array_ops.reshape(value, sizes)
        if isinstance(ndims, int) and value.shape.rank is not None:
            events = self._static(value.shape[rank - ndims :], given, sizes_out)
            found.set_shape(value.shape[: rank - ndims].concatenate(events))
        return found

    def _check_events(self, x: Tensor, sizes: Tensor, ndims: Optional[int]) -> List[Operation]:
        text = "Input `event_shape` does not match `event_shape_in`."
        known = array_ops.get_static_value(sizes)
        if ndims is not None and x.shape.rank is not None:
            events = x.shape.with_rank_at_least(ndims)[x.shape.rank - ndims :]
            if known is not None and events.is_fully_defined():
                self._check_sizes(events, sizes)
                return []
        if not self.validate_args:
            return []
        count = array_ops.shape(sizes)[0]
        events_of_step = array_ops.shape(x)[array_ops.rank(x) - count :]
        vector = math_ops.cast(sizes, dtypes.int32)
        is_given = array_ops.reshape(gen_ops.greater_equal(vector, convert_to_tensor(0)), [-1])
        return [
            assert_ops.assert_equal(
                boolean_mask(events_of_step, is_given), boolean_mask(vector, is_given),
                message=text,
            )
        ]  # fmt: skip

    def _check_sizes(self, events: TensorShape, sizes: Tensor) -> None:
        known = array_ops.get_static_value(sizes)
        if known is None:
            return
        found = np.array(events.as_list(), known.dtype)
        if (found[known >= 0] != known[known >= 0]).any():
            raise ValueError(
                f"Input `event_shape` does not match `event_shape_in` ({found} vs {known})."
            )

    def _static(self, shape: TensorShape, sizes: Tensor, sizes_out: Tensor) -> TensorShape:
        """The shape of a result, as far as it is known."""
        known = array_ops.get_static_value(sizes_out)
        if known is None:
            return unknown_shape(sizes_out.shape.with_rank_at_least(1)[0].value)
        if np.count_nonzero(known == -1) > 1:
            raise ValueError(f"An event shape must have at most one `-1` (given {known}).")
        found: List[Optional[int]] = [None if size < 0 else int(size) for size in known]
        if None in found and shape.is_fully_defined():
            rest = int(np.prod([size for size in found if size is not None], dtype=np.int64))
            total = shape.num_elements() or 0
            found[found.index(None)] = total // rest if rest else None
        return as_shape(found)

    def _forward(self, x: Any) -> Any:
        return self._reshaped(x, self._in, self._out)

    def _inverse(self, y: Any) -> Any:
        return self._reshaped(y, self._out, self._in)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return convert_to_tensor(0.0, x.dtype)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return convert_to_tensor(0.0, y.dtype)

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        return self._shape_of(input_shape, self._in, self._out)

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        return self._shape_of(output_shape, self._out, self._in)

    def _shape_of(self, shape: TensorShape, given: Tensor, wanted: Tensor) -> TensorShape:
        ndims = given.shape.with_rank_at_least(1)[0].value
        if shape.rank is None or ndims is None:
            return unknown_shape()
        if shape.is_fully_defined():
            self._check_sizes(shape.with_rank_at_least(ndims)[shape.rank - ndims :], given)
        batch = shape[: shape.rank - ndims]
        return batch.concatenate(self._static(shape[shape.rank - ndims :], given, wanted))

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Any:
        return array_ops.shape(self._reshaped(_of_sizes(input_shape), self._in, self._out))

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Any:
        return array_ops.shape(self._reshaped(_of_sizes(output_shape), self._out, self._in))


def _of_sizes(sizes: Tensor) -> Tensor:
    """Zeros of that shape."""
    found = zeros(sizes)
    found.set_shape(sizes_in(sizes))
    return found
