"""What holds for all of Keras's layers: dtype, epsilon, order of axes; and the unique names."""

from __future__ import annotations

import collections
import weakref
from typing import Any, DefaultDict, Dict

import numpy as np

from troupe._src.graph.graph import Graph, get_default_graph

_FLOATS = ("float16", "float32", "float64")
_FORMATS = ("channels_first", "channels_last")

_settings: Dict[str, Any] = {
    "floatx": "float32",
    "epsilon": 1e-7,
    "image_data_format": "channels_last",
}

# How often each prefix was asked for, by graph.
_uids: weakref.WeakKeyDictionary[Graph, DefaultDict[str, int]] = weakref.WeakKeyDictionary()


def epsilon() -> float:
    """The small number that keeps quotients and logarithms finite."""
    return float(_settings["epsilon"])


def set_epsilon(value: float) -> None:
    """Sets that number."""
    _settings["epsilon"] = float(value)


def floatx() -> str:
    """The name of the dtype of what is made without one."""
    return str(_settings["floatx"])


def set_floatx(value: str) -> None:
    """Sets that dtype: float16, float32 or float64; ValueError for another."""
    if value not in _FLOATS:
        raise ValueError(f"Unknown floatx type: {value}: one of {', '.join(_FLOATS)}")
    _settings["floatx"] = str(value)


def cast_to_floatx(x: Any) -> np.ndarray:
    """The values as an array of that dtype."""
    return np.asarray(x, dtype=floatx())


def image_data_format() -> str:
    """Where images have their channels: `channels_first` or `channels_last`."""
    return str(_settings["image_data_format"])


def set_image_data_format(data_format: str) -> None:
    """Sets that; ValueError for another word."""
    if data_format not in _FORMATS:
        raise ValueError(f"Unknown data_format: {data_format}: one of {', '.join(_FORMATS)}")
    _settings["image_data_format"] = str(data_format)


def get_graph() -> Graph:
    """The graph that layers add to: the default one."""
    return get_default_graph()


def get_uid(prefix: str = "") -> int:
    """How often the prefix was asked for in the default graph: 1 for the first time."""
    counts = _uids.setdefault(get_default_graph(), collections.defaultdict(int))
    counts[prefix] += 1
    return counts[prefix]


def unique_object_name(name: str, zero_based: bool = False) -> str:
    """A name that no other object of the default graph has.

    Args:
        name: What it begins with.
        zero_based: Whether the first one has no number: dense, dense_1; else dense_1, dense_2.

    Returns:
        The name.
    """
    # Objects count by themselves: as a space cannot be in a name, no prefix of get_uid is meant.
    number = get_uid(f" {name}") - (1 if zero_based else 0)
    return f"{name}_{number}" if number else name


def reset_uids() -> None:
    """Lets the numbers of all graphs begin again."""
    _uids.clear()
