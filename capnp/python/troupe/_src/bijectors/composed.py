"""Bijectors that are made of others, or of functions."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.event_ndims import static_event_ndims
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape

_OptionalFunction = Optional[Callable[..., Any]]


@set_module("troupe.contrib.distributions.bijectors")
class Invert(Bijector):
    """The inverse of a bijector."""

    def __init__(
        self, bijector: Bijector, validate_args: bool = False, name: Optional[str] = None
    ) -> None:
        """The bijector.

        Args:
            bijector: The other one.
            validate_args: Has no effect: the other one checks.
            name: The name scope of its nodes, by default of the other one's name.

        Raises:
            NotImplementedError: `bijector` has several x for one y.
        """
        if not bijector._is_injective:
            raise NotImplementedError("Invert is not implemented for non-injective bijectors.")
        self._bijector = bijector
        super().__init__(
            graph_parents=bijector.graph_parents,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            dtype=bijector.dtype,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            name=name or f"invert_{bijector.name}",
        )

    @property
    def bijector(self) -> Bijector:
        """The other one."""
        return self._bijector

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        return self.bijector._inverse_event_shape(input_shape)

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Any:
        return self.bijector._inverse_event_shape_tensor(input_shape)

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        return self.bijector._forward_event_shape(output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Any:
        return self.bijector._forward_event_shape_tensor(output_shape)

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self.bijector._inverse(x, **kwargs)

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self.bijector._forward(y, **kwargs)

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        return self.bijector._inverse_log_det_jacobian(x, **kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        return self.bijector._forward_log_det_jacobian(y, **kwargs)


@set_module("troupe.contrib.distributions.bijectors")
class Chain(Bijector):
    """One bijector after the other, the last one first: Chain([f, g]) is f(g(x)).

    Arguments of conditional bijectors are given by the names of these: `forward(x, g={...})`.
    """

    def __init__(
        self,
        bijectors: Optional[Sequence[Bijector]] = None,
        validate_args: bool = False,
        name: Optional[str] = None,
    ) -> None:
        """The bijector.

        Args:
            bijectors: The others; without any, y is x.
            validate_args: Has no effect: the others check.
            name: The name scope of its nodes, by default of the others' names.

        Raises:
            NotImplementedError: One has several x for one y.
            ValueError: The dtypes differ.
        """
        self._bijectors = () if bijectors is None else bijectors
        for each in self._bijectors:
            if not each._is_injective:
                raise NotImplementedError(
                    f"Invert is not implemented for non-injective bijector ({each.name})"
                )
        known = {each.dtype for each in self._bijectors} - {None}
        if len(known) > 1:
            names = sorted(dtype.name for dtype in known)
            raise ValueError(f"incompatible dtypes: {', '.join(names)}")
        named = "_of_".join(["chain", *(each.name for each in self._bijectors)])
        parents: List[Any] = []
        for each in self._bijectors:
            parents += each.graph_parents
        forward_ranks = [
            (each.forward_min_event_ndims, each.inverse_min_event_ndims)
            for each in reversed(self._bijectors)
        ]
        inverse_ranks = [(inverse, forward) for forward, inverse in reversed(forward_ranks)]
        super().__init__(
            graph_parents=parents,
            is_constant_jacobian=all(each.is_constant_jacobian for each in self._bijectors),
            validate_args=validate_args,
            dtype=known.pop() if known else None,
            forward_min_event_ndims=_least_rank(forward_ranks),
            inverse_min_event_ndims=_least_rank(inverse_ranks),
            name=name or (named if self._bijectors else "identity"),
        )

    @property
    def bijectors(self) -> Sequence[Bijector]:
        """The others, the first one last."""
        return self._bijectors

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        shape = input_shape
        for each in reversed(self.bijectors):
            shape = each.forward_event_shape(shape)
        return shape

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Any:
        shape = input_shape
        for each in reversed(self.bijectors):
            shape = each.forward_event_shape_tensor(shape)
        return shape

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        shape = output_shape
        for each in self.bijectors:
            shape = each.inverse_event_shape(shape)
        return shape

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Any:
        shape = output_shape
        for each in self.bijectors:
            shape = each.inverse_event_shape_tensor(shape)
        return shape

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        for each in reversed(self.bijectors):
            x = each.forward(x, **kwargs.get(each.name, {}))
        return x

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        for each in self.bijectors:
            y = each.inverse(y, **kwargs.get(each.name, {}))
        return y

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        total, ndims = convert_to_tensor(0.0, x.dtype), self.forward_min_event_ndims
        shape = _event_shape(x, ndims)
        for each in reversed(self.bijectors):
            given = kwargs.get(each.name, {})
            total += each.forward_log_det_jacobian(x, event_ndims=ndims, **given)
            shape = _mapped(shape, each.forward_event_shape, each.forward_event_shape_tensor)
            ndims = _rank_of(shape)
            x = each.forward(x, **given)
        return total

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        total, ndims = convert_to_tensor(0.0, y.dtype), self.inverse_min_event_ndims
        shape = _event_shape(y, ndims)
        for each in self.bijectors:
            given = kwargs.get(each.name, {})
            total += each.inverse_log_det_jacobian(y, event_ndims=ndims, **given)
            shape = _mapped(shape, each.inverse_event_shape, each.inverse_event_shape_tensor)
            ndims = _rank_of(shape)
            y = each.inverse(y, **given)
        return total


def _least_rank(ranks: Sequence[Tuple[int, int]]) -> int:
    """The rank that events need, so that each function gets events of a rank that it takes.

    Args:
        ranks: For each function in their order, the least rank that it takes and that of its
            result. A larger event keeps its further axes.
    """
    needed = current = 0
    for taken, given in ranks:
        lacking = max(0, taken - current)
        needed += lacking
        current += lacking + given - taken
    return needed


def _event_shape(value: Tensor, ndims: int) -> Any:
    """The sizes of the last axes: a TensorShape where they are known, else a tensor."""
    if value.shape.is_fully_defined():
        rank = len(value.shape)
        return value.shape[rank - ndims :]
    return array_ops.shape(value)[array_ops.rank(value) - ndims :]


def _mapped(shape: Any, static: Callable[..., Any], dynamic: Callable[..., Any]) -> Any:
    if not isinstance(shape, TensorShape):
        return dynamic(shape)
    found = static(shape)
    return found if found.rank is not None else dynamic(shape.as_list())


def _rank_of(shape: Any) -> Any:
    if isinstance(shape, TensorShape):
        return shape.rank
    rank = array_ops.size(shape)
    known = static_event_ndims(rank)
    return rank if known is None else known


@set_module("troupe.contrib.distributions.bijectors")
class Inline(Bijector):
    """A bijector of functions."""

    def __init__(
        self,
        forward_fn: _OptionalFunction = None,
        inverse_fn: _OptionalFunction = None,
        inverse_log_det_jacobian_fn: _OptionalFunction = None,
        forward_log_det_jacobian_fn: _OptionalFunction = None,
        forward_event_shape_fn: _OptionalFunction = None,
        forward_event_shape_tensor_fn: _OptionalFunction = None,
        inverse_event_shape_fn: _OptionalFunction = None,
        inverse_event_shape_tensor_fn: _OptionalFunction = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        forward_min_event_ndims: Optional[int] = None,
        inverse_min_event_ndims: Optional[int] = None,
        name: str = "inline",
    ) -> None:
        """The bijector.

        Args:
            forward_fn: y of x.
            inverse_fn: x of y.
            inverse_log_det_jacobian_fn: The logarithm of the determinant for y.
            forward_log_det_jacobian_fn: The logarithm of the determinant for x.
            forward_event_shape_fn: The shape of y, of that of x; by default the same.
            forward_event_shape_tensor_fn: Likewise, of tensors.
            inverse_event_shape_fn: The shape of x, of that of y; by default the same.
            inverse_event_shape_tensor_fn: Likewise, of tensors.
            is_constant_jacobian: Whether the Jacobian is the same for all x.
            validate_args: Has no effect.
            forward_min_event_ndims: The rank of the smallest x that is one event.
            inverse_min_event_ndims: The rank of the smallest y; by default the same.
            name: The name scope of its nodes.
        """
        super().__init__(
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            name=name,
        )
        self._functions = {
            "forward": forward_fn,
            "inverse": inverse_fn,
            "inverse_log_det_jacobian": inverse_log_det_jacobian_fn,
            "forward_log_det_jacobian": forward_log_det_jacobian_fn,
        }
        self._shapes = {
            "forward": (forward_event_shape_fn, forward_event_shape_tensor_fn),
            "inverse": (inverse_event_shape_fn, inverse_event_shape_tensor_fn),
        }

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        return _or_same(self._shapes["forward"][0], input_shape)

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Any:
        return _or_same(self._shapes["forward"][1], input_shape)

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        return _or_same(self._shapes["inverse"][0], output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Any:
        return _or_same(self._shapes["inverse"][1], output_shape)

    def _given(self, name: str) -> Callable[..., Any]:
        function = self._functions[name]
        if not callable(function):
            raise NotImplementedError(f"{name}_fn is not a callable function.")
        return function

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self._given("forward")(x, **kwargs)

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self._given("inverse")(y, **kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        return self._given("inverse_log_det_jacobian")(y, **kwargs)

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        return self._given("forward_log_det_jacobian")(x, **kwargs)


def _or_same(function: _OptionalFunction, shape: Any) -> Any:
    return shape if function is None else function(shape)
