"""Shapes that layers of programs are told, and tell: TensorFlow's, where Keras has tuples."""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from troupe._src.keras_layers.structures import static_shapes
from troupe._src.types.dimensions import Dimension
from troupe._src.types.shapes import TensorShape

_SIZES = (int, np.integer, Dimension)
_PACKAGE = __name__.split(".", maxsplit=1)[0]


def _map(convert: Callable[[Any], Any], shapes: Any) -> Any:
    """That of one shape, or of each of several."""
    if isinstance(shapes, TensorShape):
        return convert(shapes)
    if isinstance(shapes, dict):
        return {name: _map(convert, each) for name, each in shapes.items()}
    if isinstance(shapes, _SIZES):  # a single size is a shape of one dimension
        return convert([shapes])
    if not isinstance(shapes, (list, tuple)):
        return shapes
    if all(size is None or isinstance(size, _SIZES) for size in shapes):
        return convert(shapes)
    return [_map(convert, each) for each in shapes]


class ShapeTuple(Tuple[Optional[int], ...]):
    """A shape as Keras has it, with what programs ask of a `TensorShape`, such as `as_list`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(TensorShape(tuple(self)), name)


def as_tuples(shapes: Any) -> Any:
    """Shapes as Keras has them: tuples of numbers, and of None for what is unknown."""
    return _map(lambda shape: ShapeTuple(TensorShape(shape).as_list()), shapes)


def shapes_of(outputs: Any, layer: Any, input_shapes: Any) -> Any:
    """The shapes of results of a layer, which some layers of programs do not compute.

    Args:
        outputs: The results.
        layer: The layer.
        input_shapes: The shapes of its inputs.

    Returns:
        A tuple, or a list of tuples.
    """
    if getattr(layer, "_gives_structures", False):
        return static_shapes(outputs)
    try:
        return as_tuples(layer.compute_output_shape(input_shapes))
    except NotImplementedError:
        return [tuple(each.shape.as_list()) for each in outputs]


def _as_tensor_shapes(shapes: Any) -> Any:
    return _map(TensorShape, shapes)


def _converting(own: Callable[..., Any], given: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "input_shape" in kwargs:
            kwargs["input_shape"] = given(kwargs["input_shape"])
        return as_tuples(own(self, *map(given, args[:1]), *args[1:], **kwargs))

    return method


def _output_shape(self: Any, input_shape: Any) -> Any:
    """Those of its last call, or of the inputs if it has not been called."""
    if not self._inbound_nodes:
        return input_shape
    shapes: List[Any] = self._inbound_nodes[-1].output_shapes
    return shapes[0] if len(shapes) == 1 else shapes


def convert_shapes(kind: Any) -> None:
    """Makes the classes derived from that of layers from now on get shapes as they expect them.

    Args:
        kind: The class of layers.
    """

    def begin_subclass(cls: Any, /, **kwargs: Any) -> None:
        super(kind, cls).__init_subclass__(**kwargs)
        is_own = cls.__module__.split(".")[0] == _PACKAGE
        for name in ("build", "compute_output_shape"):
            own = vars(cls).get(name)
            if callable(own):
                setattr(cls, name, _converting(own, as_tuples if is_own else _as_tensor_shapes))

    kind.__init_subclass__ = classmethod(begin_subclass)
    kind.compute_output_shape = _output_shape
