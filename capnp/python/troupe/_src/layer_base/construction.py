"""What layers are made with besides what their classes take."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any, Dict, FrozenSet

from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import as_shape, known_sizes
from troupe._src.variables.initializers import GlorotUniform, Zeros
from troupe._src.variables.variable import Variable

# Arguments of layers of TensorFlow that change nothing here.
_WITHOUT_EFFECT = ("autocast", "experimental_autocast", "implementation")


def snake_case(name: str) -> str:
    """ "max_pooling2d" for "MaxPooling2D", as TensorFlow names layers after their classes."""
    words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower().lstrip("_")


def take_arguments(layer: Any, kwargs: Dict[str, Any]) -> None:
    """Sets what all layers may be given by name.

    Args:
        layer: The layer.
        kwargs: The arguments, which are removed from there.

    Raises:
        TypeError: There is another argument.
    """
    layer.activity_regularizer = kwargs.pop("activity_regularizer", None)
    if kwargs.pop("dynamic", False):
        layer.dynamic = True
    if "weights" in kwargs:
        layer._initial_weights = kwargs.pop("weights")
    size = kwargs.pop("batch_size", None)
    if "input_dim" in kwargs:
        kwargs.setdefault("input_shape", (kwargs.pop("input_dim"),))
    if "input_shape" in kwargs:
        kwargs.setdefault("batch_input_shape", (size, *kwargs.pop("input_shape")))
    if "batch_input_shape" in kwargs:
        shape = tuple(kwargs.pop("batch_input_shape"))
        layer.batch_input_shape = layer._batch_input_shape = shape
    for name in _WITHOUT_EFFECT:
        kwargs.pop(name, None)
    if kwargs:
        raise TypeError(f"Keyword argument not understood: {', '.join(kwargs)}")


def argument_names(layer: Any) -> FrozenSet[str]:
    """The names of the arguments of `call` of a layer."""
    kind: Any = type(layer)
    return _names_of(kind)


@functools.lru_cache(maxsize=None)
def _names_of(kind: Any) -> FrozenSet[str]:
    return frozenset(inspect.signature(kind.call).parameters)


def own_variable(
    name: str, shape: Any, dtype: DTypeLike, initializer: Any, trainable: bool, constraint: Any
) -> Variable:
    """A variable as those of layers of `tf.keras`, whatever variable scopes there are.

    Args:
        name: Its name in the scope of names.
        shape: Its shape.
        dtype: Its dtype.
        initializer: Makes its first value; None for a uniform one, or zeros without floats.
        trainable: Whether optimizers train it.
        constraint: Is applied to it after an optimizer has updated it.

    Returns:
        The variable.
    """
    kind = as_dtype(dtype)
    if initializer is None:
        initializer = GlorotUniform() if kind.is_floating else Zeros()
    sizes = known_sizes(as_shape(shape))
    return Variable(
        lambda: initializer(sizes, dtype=kind),
        dtype=kind, name=name, trainable=trainable, constraint=constraint,
    )  # fmt: skip
