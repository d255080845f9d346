"""Bijectors whose functions take more arguments than a value."""

from __future__ import annotations

from typing import Any

from troupe._src.bijectors.bijector import Bijector
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions.bijectors")
class ConditionalBijector(Bijector):
    """A bijector whose functions pass further arguments on to those that a class defines."""

    def forward(self, x: Any, name: str = "forward", **condition_kwargs: Any) -> Any:
        """y = f(x).

        Args:
            x: The value.
            **condition_kwargs: Arguments of `_forward`.

        Returns:
            y.
        """
        return self._call_forward(x, name, **condition_kwargs)

    def inverse(self, y: Any, name: str = "inverse", **condition_kwargs: Any) -> Any:
        """The x of y = f(x).

        Args:
            y: The value.
            **condition_kwargs: Arguments of `_inverse`.

        Returns:
            x.
        """
        return self._call_inverse(y, name, **condition_kwargs)

    def inverse_log_det_jacobian(
        self,
        y: Any,
        event_ndims: Any,
        name: str = "inverse_log_det_jacobian",
        **condition_kwargs: Any,
    ) -> Any:
        """The logarithm of the magnitude of the determinant of the Jacobian of the inverse.

        Args:
            y: The value.
            event_ndims: How many of the last axes of `y` are one event.
            **condition_kwargs: Arguments of `_inverse_log_det_jacobian`.

        Returns:
            A number for each event.
        """
        return self._call_inverse_log_det_jacobian(y, event_ndims, name, **condition_kwargs)

    def forward_log_det_jacobian(
        self,
        x: Any,
        event_ndims: Any,
        name: str = "forward_log_det_jacobian",
        **condition_kwargs: Any,
    ) -> Any:
        """The logarithm of the magnitude of the determinant of the Jacobian.

        Args:
            x: The value.
            event_ndims: How many of the last axes of `x` are one event.
            **condition_kwargs: Arguments of `_forward_log_det_jacobian`.

        Returns:
            A number for each event.
        """
        return self._call_forward_log_det_jacobian(x, event_ndims, name, **condition_kwargs)
