"""Optimizers by their names and configurations."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from troupe._src.keras_optimizers import moment_optimizers, rate_optimizers
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer
from troupe._src.keras_optimizers.schedules import made_of
from troupe._src.keras_optimizers.wrapped_optimizer import TFOptimizer
from troupe._src.train.optimizer import Optimizer as OptimizerOfGraphs

_CLASSES = {
    kind.__name__.lower(): kind
    for kind in (
        moment_optimizers.Adam, moment_optimizers.Adamax, moment_optimizers.Nadam,
        rate_optimizers.Adadelta, rate_optimizers.Adagrad, rate_optimizers.Ftrl,
        rate_optimizers.RMSprop, rate_optimizers.SGD,
    )
}  # fmt: skip


def serialize(optimizer: Optimizer) -> Dict[str, Any]:
    """The class of an optimizer and its arguments, as a dict.

    Args:
        optimizer: The optimizer.

    Returns:
        A dict with "class_name" and "config".
    """
    return {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}


def deserialize(
    config: Mapping[str, Any], custom_objects: Optional[Mapping[str, Any]] = None
) -> Any:
    """The optimizer that a dict describes.

    Args:
        config: What `serialize` gives; the name of a class is known in any case of its letters.
        custom_objects: Classes of the program by their names.

    Returns:
        An optimizer.

    Raises:
        ValueError: There is no class of that name.
    """
    given = dict(config)
    name = str(given.get("class_name", ""))
    if name.lower() in _CLASSES and name not in (custom_objects or {}):
        given["class_name"] = name.lower()
    return made_of(given, _CLASSES, custom_objects, "optimizer")


def get(identifier: Any) -> Any:
    """An optimizer, of its name, of its configuration, or itself.

    Args:
        identifier: A name such as "adam", a dict of `serialize`, or an optimizer, also one of
            `tf.train`.

    Returns:
        An optimizer.

    Raises:
        ValueError: It is something else.
    """
    if isinstance(identifier, (Optimizer, TFOptimizer)):
        return identifier
    if isinstance(identifier, OptimizerOfGraphs):
        return TFOptimizer(identifier)
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
