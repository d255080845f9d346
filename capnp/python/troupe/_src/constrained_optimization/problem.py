"""What a constrained optimizer minimizes."""

from __future__ import annotations

import abc
from typing import Any, Optional, Sequence

from troupe._src.set_module import set_module


@set_module("troupe.contrib.constrained_optimization")
class ConstrainedMinimizationProblem(abc.ABC):
    """An objective, and constraints that are to be at most zero.

    It is `tf.contrib.constrained_optimization.ConstrainedMinimizationProblem`. A program derives
    from it, and overrides `objective` and `constraints`.
    """

    @property
    @abc.abstractmethod
    def objective(self) -> Any:
        """A scalar that is to be small."""

    @property
    @abc.abstractmethod
    def constraints(self) -> Any:
        """A tensor whose elements are to be at most zero."""

    @property
    def num_constraints(self) -> int:
        """The number of constraints.

        Raises:
            ValueError: The shape of the constraints is not known, or not that of their proxies.
        """
        shape = self.constraints.get_shape()
        proxy = shape if self.proxy_constraints is None else self.proxy_constraints.get_shape()
        if not (shape.is_fully_defined() and proxy.is_fully_defined()):
            raise ValueError("constraints and proxy_constraints must have fully-known shapes")
        if shape.as_list() != proxy.as_list():
            raise ValueError("constraints and proxy_constraints must have the same shape")
        return int(shape.num_elements())

    @property
    def proxy_constraints(self) -> Optional[Any]:
        """What is differentiated in the place of the constraints; None for the constraints.

        Constraints that are steps have no gradient, but functions that are like them have one.
        """
        return None

    @property
    def pre_train_ops(self) -> Optional[Sequence[Any]]:
        """Operations that run before each training step; None for none."""
        return None
