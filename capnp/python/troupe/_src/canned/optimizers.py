"""Optimizers by name, with the rates of estimators."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Sequence

from troupe._src.train.adaptive_optimizers import AdagradOptimizer, AdamOptimizer
from troupe._src.train.optimizer import Optimizer
from troupe._src.train.optimizers import FtrlOptimizer, GradientDescentOptimizer, RMSPropOptimizer


_BY_NAME: Dict[str, Callable[[float], Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}


def optimizer_of(given: Any, learning_rate: float) -> Optimizer:
    """An optimizer, the one that a function makes, or that of a name.

    Args:
        given: One of them.
        learning_rate: The rate of that of a name.

    Returns:
        The optimizer.

    Raises:
        ValueError: It is none of them.
    """
    if isinstance(given, str):
        if given not in _BY_NAME:
            raise ValueError(
                f"Unsupported optimizer name: {given}. Supported names are: "
                f"{tuple(sorted(_BY_NAME))}"
            )
        return _BY_NAME[given](learning_rate)
    found = given() if callable(given) else given
    if not isinstance(found, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {found}")
    return found


def linear_rate(columns: Sequence[Any], highest: float) -> float:
    """The rate of a linear model, lower where it has many columns."""
    return min(highest, 1.0 / math.sqrt(len(columns)))
