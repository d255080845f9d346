"""What a serializer to JSON calls for values that it does not know."""

from __future__ import annotations

from typing import Any

import numpy as np

from troupe._src.types.dimensions import Dimension
from troupe._src.types.shapes import TensorShape


def get_json_type(obj: Any) -> Any:
    """A value that JSON has, for one of a model's configuration.

    Args:
        obj: An object with `get_config`, a value or an array of NumPy, a dimension, a shape, a
            function or a class.

    Returns:
        {"class_name", "config"}, a number or a list, or the name of the function or class.

    Raises:
        TypeError: It is none of those.
    """
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if isinstance(obj, np.ndarray):
        return obj.tolist()
    if isinstance(obj, np.generic):
        return obj.item()
    if callable(obj):
        return obj.__name__
    if isinstance(obj, Dimension):
        return obj.value
    if isinstance(obj, TensorShape):
        return obj.as_list()
    raise TypeError("Not JSON Serializable:", obj)
