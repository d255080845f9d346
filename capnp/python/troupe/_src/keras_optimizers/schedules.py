"""Learning rates that depend on the number of steps so far."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type

from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.train import learning_rate as rates

_MODULE = "troupe.keras.optimizers.schedules"
_EXPERIMENTAL = "troupe.keras.experimental"


@set_module(_MODULE)
class LearningRateSchedule:
    """A learning rate that depends on the number of steps so far.

    A class of a program defines `__call__` and `get_config`.
    """

    def __call__(self, step: TensorLike) -> Any:
        """The rate of a step.

        Args:
            step: The number of steps so far, a scalar.

        Returns:
            A scalar.
        """
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such an object, by their names."""
        raise NotImplementedError("Learning rate schedule must override get_config")

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> LearningRateSchedule:
        """A schedule that is made of the arguments that `get_config` gives.

        Args:
            config: The arguments by their names.

        Returns:
            The schedule.
        """
        return cls(**config)


class _OfArguments(LearningRateSchedule):
    """One whose attributes are its arguments, and which a function of `tf.train` computes."""

    _function: Callable[..., Any]

    def _set(self, **arguments: Any) -> None:
        self._names: List[str] = list(arguments)
        for name, value in arguments.items():
            setattr(self, name, value)

    def _given(self) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in self._names}

    def __call__(self, step: TensorLike) -> Any:
        given = self._given()
        rate = given.pop("initial_learning_rate")
        return type(self)._function(rate, step, **given)

    def get_config(self) -> Dict[str, Any]:
        return self._given()


@set_module(_MODULE)
class ExponentialDecay(_OfArguments):
    """initial_learning_rate * decay_rate ^ (step / decay_steps).

    Args:
        initial_learning_rate: The rate at step 0, a float or a scalar.
        decay_steps: The number of steps of a decay by `decay_rate`.
        decay_rate: The factor of a decay.
        staircase: Whether the rate stays in between.
        name: The name of the operations.
    """

    _function = staticmethod(rates.exponential_decay)

    def __init__(
        self, initial_learning_rate: TensorLike, decay_steps: TensorLike, decay_rate: TensorLike,
        staircase: bool = False, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._set(
            initial_learning_rate=initial_learning_rate, decay_steps=decay_steps,
            decay_rate=decay_rate, staircase=staircase, name=name,
        )  # fmt: skip


@set_module(_MODULE)
class InverseTimeDecay(_OfArguments):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps).

    Args:
        initial_learning_rate: The rate at step 0, a float or a scalar.
        decay_steps: How often the rate decays.
        decay_rate: How much it decays.
        staircase: Whether the rate stays in between.
        name: The name of the operations.
    """

    _function = staticmethod(rates.inverse_time_decay)

    def __init__(
        self, initial_learning_rate: TensorLike, decay_steps: TensorLike, decay_rate: TensorLike,
        staircase: bool = False, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._set(
            initial_learning_rate=initial_learning_rate, decay_steps=decay_steps,
            decay_rate=decay_rate, staircase=staircase, name=name,
        )  # fmt: skip


@set_module(_MODULE)
class PolynomialDecay(_OfArguments):
    """A rate that goes to `end_learning_rate` as a power of the steps that are left.

    Args:
        initial_learning_rate: The rate at step 0, a float or a scalar.
        decay_steps: The number of steps of the decay.
        end_learning_rate: The rate after them.
        power: The power, 1 for a line.
        cycle: Whether the decay begins again after its end, with more steps.
        name: The name of the operations.
    """

    _function = staticmethod(rates.polynomial_decay)

    def __init__(
        self, initial_learning_rate: TensorLike, decay_steps: TensorLike,
        end_learning_rate: TensorLike = 0.0001, power: TensorLike = 1.0, cycle: bool = False,
        name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._set(
            initial_learning_rate=initial_learning_rate, decay_steps=decay_steps,
            end_learning_rate=end_learning_rate, power=power, cycle=cycle, name=name,
        )  # fmt: skip


@set_module(_MODULE)
class PiecewiseConstantDecay(LearningRateSchedule):
    """A rate that changes after certain steps.

    Args:
        boundaries: The last steps of all rates but the last one, which increase.
        values: The rates, one more than boundaries.
        name: The name of the operations.

    Raises:
        ValueError: There are not so many.
    """

    def __init__(
        self, boundaries: Sequence[Any], values: Sequence[Any], name: Optional[str] = None
    ) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values"
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: TensorLike) -> Any:
        steps = convert_to_tensor(step)
        boundaries = [math_ops.cast(each, steps.dtype) for each in self.boundaries]
        return rates.piecewise_constant(steps, boundaries, list(self.values), self.name)

    def get_config(self) -> Dict[str, Any]:
        return {"boundaries": self.boundaries, "values": self.values, "name": self.name}


@set_module(_EXPERIMENTAL)
class CosineDecay(_OfArguments):
    """A rate that goes to `alpha` of itself as half a period of a cosine.

    Args:
        initial_learning_rate: The rate at step 0, a float or a scalar.
        decay_steps: The number of steps of the decay.
        alpha: What is left of the rate after them, a part of it.
        name: The name of the operations.
    """

    _function = staticmethod(rates.cosine_decay)

    def __init__(
        self, initial_learning_rate: TensorLike, decay_steps: TensorLike, alpha: Any = 0.0,
        name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._set(
            initial_learning_rate=initial_learning_rate, decay_steps=decay_steps, alpha=alpha,
            name=name,
        )  # fmt: skip


@set_module(_EXPERIMENTAL)
class CosineDecayRestarts(_OfArguments):
    """`CosineDecay` again and again.

    Args:
        initial_learning_rate: The rate at step 0, a float or a scalar.
        first_decay_steps: The number of steps of the first decay.
        t_mul: How many times as many steps each further one takes.
        m_mul: How many times as high the rate is at its beginning.
        alpha: What is left of the rate after a decay, a part of it.
        name: The name of the operations.
    """

    _function = staticmethod(rates.cosine_decay_restarts)

    def __init__(
        self, initial_learning_rate: TensorLike, first_decay_steps: TensorLike, t_mul: Any = 2.0,
        m_mul: Any = 1.0, alpha: Any = 0.0, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._set(
            initial_learning_rate=initial_learning_rate, first_decay_steps=first_decay_steps,
            t_mul=t_mul, m_mul=m_mul, alpha=alpha, name=name,
        )  # fmt: skip


@set_module(_EXPERIMENTAL)
class LinearCosineDecay(_OfArguments):
    """A rate that goes down as a line times a cosine.

    Args:
        initial_learning_rate: The rate at step 0, a float or a scalar.
        decay_steps: The number of steps of the decay.
        num_periods: The periods of the cosine in the decay.
        alpha: What is added to the line, a part of the rate.
        beta: What is added to the product, a part of the rate.
        name: The name of the operations.
    """

    _function = staticmethod(rates.linear_cosine_decay)

    def __init__(
        self, initial_learning_rate: TensorLike, decay_steps: TensorLike, num_periods: float = 0.5,
        alpha: Any = 0.0, beta: Any = 0.001, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._set(
            initial_learning_rate=initial_learning_rate, decay_steps=decay_steps,
            num_periods=num_periods, alpha=alpha, beta=beta, name=name,
        )  # fmt: skip


@set_module(_EXPERIMENTAL)
class NoisyLinearCosineDecay(_OfArguments):
    """`LinearCosineDecay` with random numbers added to the line.

    Args:
        initial_learning_rate: The rate at step 0, a float or a scalar.
        decay_steps: The number of steps of the decay.
        initial_variance: The variance of the random numbers at step 0.
        variance_decay: The power of the steps by which it decays.
        num_periods: The periods of the cosine in the decay.
        alpha: What is added to the line, a part of the rate.
        beta: What is added to the product, a part of the rate.
        name: The name of the operations.
    """

    _function = staticmethod(rates.noisy_linear_cosine_decay)

    def __init__(
        self, initial_learning_rate: TensorLike, decay_steps: TensorLike,
        initial_variance: Any = 1.0, variance_decay: Any = 0.55, num_periods: float = 0.5,
        alpha: Any = 0.0, beta: Any = 0.001, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._set(
            initial_learning_rate=initial_learning_rate, decay_steps=decay_steps,
            initial_variance=initial_variance, variance_decay=variance_decay,
            num_periods=num_periods, alpha=alpha, beta=beta, name=name,
        )  # fmt: skip


_CLASSES: Dict[str, Type[LearningRateSchedule]] = {
    kind.__name__: kind
    for kind in (
        CosineDecay, CosineDecayRestarts, ExponentialDecay, InverseTimeDecay, LinearCosineDecay,
        NoisyLinearCosineDecay, PiecewiseConstantDecay, PolynomialDecay,
    )
}  # fmt: skip


def serialize(learning_rate_schedule: LearningRateSchedule) -> Dict[str, Any]:
    """The class of a schedule and its arguments, as a dict.

    Args:
        learning_rate_schedule: The schedule.

    Returns:
        A dict with "class_name" and "config".
    """
    return {
        "class_name": type(learning_rate_schedule).__name__,
        "config": learning_rate_schedule.get_config(),
    }


def deserialize(
    config: Mapping[str, Any], custom_objects: Optional[Mapping[str, Any]] = None
) -> Any:
    """The schedule that a dict describes.

    Args:
        config: What `serialize` gives.
        custom_objects: Classes of the program by their names.

    Returns:
        A schedule.

    Raises:
        ValueError: There is no class of that name.
    """
    return made_of(config, _CLASSES, custom_objects, "decay")


def made_of(
    config: Mapping[str, Any],
    classes: Mapping[str, Any],
    custom_objects: Optional[Mapping[str, Any]],
    what: str,
) -> Any:
    """An object of the class and of the arguments that a dict names.

    Args:
        config: The dict, with "class_name" and "config".
        classes: The classes by their names.
        custom_objects: Those of the program, which come first.
        what: What such an object is, for errors.

    Returns:
        The object.

    Raises:
        ValueError: There is no such class, or the dict is another one.
    """
    if not {"class_name", "config"} <= set(config):
        raise ValueError(f"Improper config format: {config}")
    name = config["class_name"]
    found = {**classes, **(custom_objects or {})}.get(name)
    if found is None:
        raise ValueError(f"Unknown {what}: {name}")
    return found.from_config(dict(config["config"]))
