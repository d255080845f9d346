"""What all bijectors have in common: values, inverses and determinants of Jacobians."""

from __future__ import annotations

from typing import Any, Callable, Dict

from troupe._src.bijectors.described_bijector import DescribedBijector
from troupe._src.bijectors.event_ndims import checks_of, reduced, static_event_ndims
from troupe._src.bijectors.pairs import Pair, places
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.set_module import set_module
from troupe._src.types.shapes import as_shape


@set_module("troupe.contrib.distributions.bijectors")
class Bijector(DescribedBijector):
    """A differentiable function y = f(x) of the events of distributions, and its inverse.

    A class of bijectors defines `_forward`, `_inverse`, and `_forward_log_det_jacobian` or
    `_inverse_log_det_jacobian`, these for the smallest events that it transforms; and the functions
    of shapes where the two shapes differ. What was computed is kept, so that `inverse(forward(x))`
    is `x` itself.
    """

    def _forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("forward not implemented.")

    def _call_forward(self, x: Any, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name):
            value = self._argument(x, "x")
            if not self._is_injective:
                return self._forward(value, **kwargs)
            pair = self._pairs.of_x(value, kwargs)
            return self._y_of(pair)

    def forward(self, x: Any, name: str = "forward") -> Any:
        """y = f(x).

        Args:
            x: The value.

        Returns:
            y.

        Raises:
            TypeError: `x` has another dtype.
            NotImplementedError: The class does not define it.
        """
        return self._call_forward(x, name)

    def _inverse(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("inverse not implemented")

    def _call_inverse(self, y: Any, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name):
            value = self._argument(y, "y")
            if not self._is_injective:
                return self._inverse(value, **kwargs)
            pair = self._pairs.of_y(value, kwargs)
            return self._x_of(pair)

    def inverse(self, y: Any, name: str = "inverse") -> Any:
        """The x of y = f(x).

        Args:
            y: The value.

        Returns:
            x; a tuple of them where several x have one y.

        Raises:
            TypeError: `y` has another dtype.
            NotImplementedError: The class does not define it.
        """
        return self._call_inverse(y, name)

    def _inverse_log_det_jacobian(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("inverse_log_det_jacobian not implemented.")

    def _call_inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str, **kwargs: Any
    ) -> Any:
        with self._name_scope(name):
            value = self._argument(y, "y")
            least = self.inverse_min_event_ndims
            with control_dependencies(checks_of(event_ndims, least, self.validate_args)):
                if not self._is_injective:
                    return self._log_dets_of_branches(value, event_ndims, kwargs)
                pair = self._pairs.of_y(value, kwargs)
                return self._constant_or("y", value, event_ndims, least, pair)

    def inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str = "inverse_log_det_jacobian"
    ) -> Any:
        """The logarithm of the magnitude of the determinant of the Jacobian of the inverse.

        Args:
            y: The value.
            event_ndims: How many of the last axes of `y` are one event.

        Returns:
            A number for each event; a tuple of them where several x have one y.

        Raises:
            TypeError: `y` has another dtype.
            ValueError: `event_ndims` is no integer scalar, or less than the rank of an event.
            NotImplementedError: The class does not define it.
        """
        return self._call_inverse_log_det_jacobian(y, event_ndims, name)

    def _forward_log_det_jacobian(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("forward_log_det_jacobian not implemented.")

    def _call_forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str, **kwargs: Any
    ) -> Any:
        if not self._is_injective:
            raise NotImplementedError(
                "forward_log_det_jacobian cannot be implemented for non-injective transforms."
            )
        with self._name_scope(name):
            value = self._argument(x, "x")
            least = self.forward_min_event_ndims
            with control_dependencies(checks_of(event_ndims, least, self.validate_args)):
                pair = self._pairs.of_x(value, kwargs)
                return -self._constant_or("x", value, event_ndims, least, pair)

    def forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str = "forward_log_det_jacobian"
    ) -> Any:
        """The logarithm of the magnitude of the determinant of the Jacobian.

        Args:
            x: The value.
            event_ndims: How many of the last axes of `x` are one event.

        Returns:
            A number for each event.

        Raises:
            TypeError: `x` has another dtype.
            ValueError: `event_ndims` is no integer scalar, or less than the rank of an event.
            NotImplementedError: The class does not define it, or several x have one y.
        """
        return self._call_forward_log_det_jacobian(x, event_ndims, name)

    def _y_of(self, pair: Pair) -> Any:
        if pair.y is None:
            pair.y = self._forward(pair.x, **pair.conditions)
            self._pairs.add(pair)
        return pair.y

    def _x_of(self, pair: Pair) -> Any:
        if pair.x is None:
            pair.x = self._inverse(pair.y, **pair.conditions)
            self._pairs.add(pair)
        return pair.x

    def _constant_or(
        self, side: str, value: Tensor, event_ndims: Any, least: int, pair: Pair
    ) -> Tensor:
        """The determinant of the inverse, which is kept for all values where it is the same."""
        known = static_event_ndims(event_ndims)
        events = value.shape[-known:] if known and value.shape.rank is not None else as_shape([])
        is_kept = (
            self.is_constant_jacobian and not pair.conditions and known is not None
            and events.is_fully_defined() and (known == 0 or value.shape.rank is not None)
        )  # fmt: skip
        key = (side, value.dtype, known, tuple(events.as_list())) if is_kept else ()
        for place in places():
            if is_kept and (place, *key) in self._constants:
                return self._constants[(place, *key)]
        found = self._log_det_of(side, pair, event_ndims, least)
        if is_kept:
            self._constants[(places()[0], *key)] = found
        return found

    def _log_det_of(self, side: str, pair: Pair, event_ndims: Any, least: int) -> Tensor:
        known = static_event_ndims(event_ndims)
        # How many axes are summed is the same number on both sides.
        more = event_ndims - least if known is None else known - least
        key = (side, event_ndims) if known is None else more
        if key not in pair.log_dets:
            pair.log_dets[key] = self._computed_log_det(side, pair, more)
            self._pairs.add(pair)
        return pair.log_dets[key]

    def _computed_log_det(self, side: str, pair: Pair, more: Any) -> Any:
        """By the function of this side; if the class does not define it, by the other one."""

        def by_x() -> Tensor:
            x = self._x_of(pair)
            found = self._forward_log_det_jacobian(x, **pair.conditions)
            return reduced(x, -found, self.forward_min_event_ndims, more)

        def by_y() -> Tensor:
            y = self._y_of(pair)
            found = self._inverse_log_det_jacobian(y, **pair.conditions)
            return reduced(y, found, self.inverse_min_event_ndims, more)

        return _first(by_x, by_y) if side == "x" else _first(by_y, by_x)

    def _log_dets_of_branches(self, y: Tensor, event_ndims: Any, kwargs: Dict[str, Any]) -> Any:
        known = static_event_ndims(event_ndims)
        more = (event_ndims if known is None else known) - self.inverse_min_event_ndims

        def by_y() -> Any:
            found = self._inverse_log_det_jacobian(y, **kwargs)
            return tuple(reduced(y, each, self.inverse_min_event_ndims, more) for each in found)

        def by_x() -> Any:
            branches = self._inverse(y, **kwargs)
            found = [self._forward_log_det_jacobian(x, **kwargs) for x in branches]
            return tuple(
                reduced(x, -each, self.forward_min_event_ndims, more)
                for x, each in zip(branches, found)
            )

        return _first(by_y, by_x)


def _first(function: Callable[[], Any], fallback: Callable[[], Any]) -> Any:
    try:
        return function()
    except NotImplementedError as original:
        try:
            return fallback()
        except NotImplementedError:
            raise original from None
