"""Arguments of layers that may be given by name or as a configuration, and their configurations."""

from __future__ import annotations

from typing import Any

from troupe._src.keras.loaded import keras_module
from troupe._src.variables import initializers, orthogonal

_MODULES = {
    "activation": "activations",
    "initializer": "initializers",
    "regularizer": "regularizers",
    "constraint": "constraints",
}


def linear(x: Any) -> Any:
    """The function that changes nothing."""
    return x


def module_of(argument: str) -> Any:
    """The module of `tf.keras` that knows the names of such an argument; None for another one.

    Args:
        argument: The name of the argument, as "kernel_initializer".
    """
    return _MODULES.get(argument.rpartition("_")[2])


def resolved(argument: str, value: Any) -> Any:
    """What an argument of a layer stands for.

    Args:
        argument: The name of the argument, as "kernel_initializer".
        value: A function, its name, its configuration, or None.

    Returns:
        The function; None for None, but for an activation the one that changes nothing.

    Raises:
        ValueError: There is no function of that name.
    """
    if value is None:
        return linear if argument.endswith("activation") else None
    if not isinstance(value, (str, dict)):
        return value
    if isinstance(value, dict) and isinstance(value.get("class_name"), str):
        own = _own_initializer(value["class_name"])
        if own is not None and argument.endswith("initializer"):
            return own.from_config(value["config"])
    return keras_module(module_of(argument)).get(value)


def serialized(value: Any) -> Any:
    """The configuration of such a function: its name, or a dict with that of its class.

    Args:
        value: The function, or None.

    Returns:
        A name or a dict; None for None.

    Raises:
        ValueError: It has neither a configuration nor a name.
    """
    if value is None:
        return None
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if hasattr(value, "__name__"):
        return value.__name__
    raise ValueError(f"Cannot serialize {value!r}: it has neither get_config nor a name")


def _own_initializer(name: str) -> Any:
    """The class of initializers of that name, or None."""
    for module in (initializers, orthogonal):
        found = getattr(module, name, None)
        if isinstance(found, type) and issubclass(found, initializers.Initializer):
            return found
    return None
