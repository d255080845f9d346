"""Numbers that losses are multiplied by, so that gradients of float16 do not become zeros."""

from __future__ import annotations

import abc
from typing import Any, Dict, List, Mapping, Optional, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.nest import flatten
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.module_scopes.checkpointable import CheckpointableBase, Dependencies
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.variable import Variable


@set_module("troupe.train.experimental")
class LossScale(CheckpointableBase, abc.ABC):
    """What a loss is multiplied by before it is derived, and its gradients are divided by.

    Called, it gives the number as a scalar of float32; `update` changes it by what the gradients
    were. A class of a program overrides both, and `get_config`.
    """

    def __init__(self) -> None:
        self._weights: Dict[Tuple[str, Graph], Variable] = {}

    @abc.abstractmethod
    def __call__(self) -> Tensor:
        """The number, a scalar of float32."""

    @abc.abstractmethod
    def update(self, grads: Any) -> Tuple[Any, Any]:
        """What changes the number after a step.

        Args:
            grads: A structure of the gradients, divided by the scale already. Those that are None
                do not count.

        Returns:
            The operation that changes it, and whether the gradients are to be applied: a bool, or
            a scalar.
        """

    @abc.abstractmethod
    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a scale, by their names."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> LossScale:
        """A scale that is made of the arguments that `get_config` gives.

        Args:
            config: The arguments by their names.

        Returns:
            The scale, with new variables.
        """
        return cls(**config)

    def _add_weight(
        self, name: str, initial_value: Any, dtype: Optional[DTypeLike] = None
    ) -> Variable:
        """A variable of the scale's state; RuntimeError where it has one of that name."""
        key = (name, get_default_graph())
        if key in self._weights:
            raise RuntimeError(f"The loss scale has a variable {name!r} already.")
        self._weights[key] = Variable(
            initial_value, name=name, dtype=dtype, trainable=False, use_resource=True
        )
        return self._weights[key]

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        graph = get_default_graph()
        found = [(name, weight) for (name, of), weight in self._weights.items() if of is graph]
        return sorted(found, key=lambda pair: pair[0])


@set_module("troupe.train.experimental")
class FixedLossScale(LossScale):
    """A scale that stays what it is.

    Args:
        loss_scale_value: The number, at least 1.

    Raises:
        ValueError: It is no int or float, or less than 1.
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError(
                "loss_scale_value must be a Python int or float, not "
                f"{type(loss_scale_value).__name__}."
            )
        if loss_scale_value < 1:
            raise ValueError(f"loss_scale_value must be at least 1, not {loss_scale_value}.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        return convert_to_tensor(self._loss_scale_value, dtypes.float32)

    def update(self, grads: Any) -> Tuple[Any, Any]:
        """Nothing: gradients are always applied.

        Args:
            grads: The gradients.

        Returns:
            An operation that does nothing, and True.
        """
        return no_op(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"

    def get_config(self) -> Dict[str, Any]:
        return {"loss_scale_value": self._loss_scale_value}


@set_module("troupe.train.experimental")
class DynamicLossScale(LossScale):
    """A scale that grows while gradients are finite, and shrinks where one is not.

    Args:
        initial_loss_scale: The number at the beginning.
        increment_period: After so many steps with finite gradients, one after the other, it grows.
        multiplier: What it is multiplied or divided by. It becomes neither infinite nor less than
            1.
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        # Programs look at them by these names.
        self._current_loss_scale = self._add_weight(
            "current_loss_scale", self._initial_loss_scale, dtypes.float32
        )
        self._num_good_steps = self._add_weight("good_steps", 0, dtypes.int64)

    @property
    def initial_loss_scale(self) -> float:
        """The number at the beginning."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """After how many steps with finite gradients it grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """What it is multiplied or divided by."""
        return self._multiplier

    def __call__(self) -> Tensor:
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: Any) -> Tuple[Any, Any]:
        """What changes the number after a step.

        Args:
            grads: A structure of the gradients; those that are None do not count.

        Returns:
            The operation that changes it, and a scalar: whether all gradients are finite.
        """
        is_finite = all_finite(flatten(grads))
        return cond(is_finite, self._after_finite_step, self._after_other_step), is_finite

    def _after_finite_step(self) -> Any:
        return cond(
            self._num_good_steps + 1 >= self._increment_period,
            self._grown,
            lambda: group(self._num_good_steps.assign_add(1)),
        )

    def _grown(self) -> Operation:
        larger = self._current_loss_scale * self._multiplier
        grow = cond(
            gen_ops.is_finite(larger),
            lambda: group(self._current_loss_scale.assign(larger)),
            no_op,
        )
        return group(grow, self._num_good_steps.assign(0))

    def _after_other_step(self) -> Operation:
        smaller = gen_ops.maximum(self._current_loss_scale / self._multiplier, 1.0)
        return group(self._num_good_steps.assign(0), self._current_loss_scale.assign(smaller))

    def __repr__(self) -> str:
        return (
            f"DynamicLossScale(initial_loss_scale={self._initial_loss_scale}, "
            f"increment_period={self._increment_period}, multiplier={self._multiplier})"
        )

    def get_config(self) -> Dict[str, Any]:
        return {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self._increment_period,
            "multiplier": self._multiplier,
        }


def get(identifier: Any) -> Optional[LossScale]:
    """The scale that an argument stands for.

    Args:
        identifier: A scale, a number for a fixed one, "dynamic", or None.

    Returns:
        The scale; None for None.

    Raises:
        ValueError: It is something else.
    """
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if isinstance(identifier, str) and identifier == "dynamic":
        return DynamicLossScale()
    if identifier is None or isinstance(identifier, LossScale):
        return identifier
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")


def all_finite(gradients: List[Any]) -> Tensor:
    """Whether gradients have neither infinite values nor NaNs, a scalar; None does not count."""
    values = [each.values if isinstance(each, IndexedSlices) else each for each in gradients]
    finite = [math_ops.reduce_all(gen_ops.is_finite(each)) for each in values if each is not None]
    return math_ops.reduce_all(finite)

