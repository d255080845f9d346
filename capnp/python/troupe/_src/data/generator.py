"""Datasets of what generators of Python yield."""

from __future__ import annotations

import itertools
import os
import threading
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

from troupe._src.data import nest
from troupe._src.data.components import Components
from troupe._src.data.function_graph import TracedFunction
from troupe._src.data.iterator import shapes_up_to
from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.session.py_func import numpy_function
from troupe._src.types import dtypes
from troupe._src.types.dtypes import as_dtype
from troupe._src.types.shapes import TensorShape


_Body = Callable[[List[Tensor]], List[Tensor]]


def processor_count() -> int:
    """How many processors this machine has."""
    return os.cpu_count() or 1


class _GeneratorState:
    """The running generators of a dataset, by number."""

    def __init__(self, generator: Callable[..., Any]) -> None:
        self._generator = generator
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._iterators: Dict[int, Iterator[Any]] = {}

    def begin(self, *args: Any) -> np.int64:
        iterator = iter(self._generator(*args))
        with self._lock:
            number = next(self._numbers)
            self._iterators[number] = iterator
        return np.int64(number)

    def next(self, number: Any) -> Any:
        with self._lock:
            iterator = self._iterators[int(number)]
        return next(iterator)

    def end(self, number: Any) -> np.int64:
        with self._lock:
            self._iterators.pop(int(number), None)
        return np.int64(0)


def generator_dataset(
    generator: Callable[..., Any], output_types: Any, output_shapes: Any, args: Any
) -> Tuple[Tensor, Components]:
    """The dataset as a tensor, and its components."""
    if not callable(generator):
        raise TypeError("`generator` must be callable.")
    types = nest.map_structure(as_dtype, output_types)
    components = Components(types, shapes_up_to(types, output_shapes))
    given = [convert_to_tensor(value) for value in (args or ())]
    state = _GeneratorState(generator)

    def next_values(at: Any) -> List[Any]:
        return _checked(state.next(at), components)

    def next_body(arguments: List[Tensor]) -> List[Tensor]:
        values = numpy_function(next_values, arguments, components.flat_types())
        return list(values)

    def begin_body(arguments: List[Tensor]) -> List[Tensor]:
        return [numpy_function(state.begin, given, dtypes.int64)]

    def end_body(arguments: List[Tensor]) -> List[Tensor]:
        return [numpy_function(state.end, arguments, dtypes.int64)]

    variant = generator_variant(components, begin_body, next_body, end_body)
    return variant, components


def generator_variant(
    components: Components, begin_body: _Body, next_body: _Body, end_body: _Body
) -> Tensor:
    """The dataset of what three functions of the graph give.

    Args:
        components: Those of its elements.
        begin_body: Gives an int64 scalar, which the others are called with.
        next_body: Gives the next element; its end is an OutOfRangeError.
        end_body: Is called after the last one.
    """
    number = ([dtypes.int64], [TensorShape([])])
    begin = TracedFunction("init", [], [], begin_body)
    following = TracedFunction("next", *number, next_body)
    end = TracedFunction("finalize", *number, end_body)
    return raw_ops.GeneratorDataset(
        init_func_other_args=begin.captured,
        next_func_other_args=following.captured,
        finalize_func_other_args=end.captured,
        init_func=begin.name,
        next_func=following.name,
        finalize_func=end.name,
        **components.attrs(),
    )


def _checked(values: Any, components: Components) -> List[Any]:
    """The yielded values as arrays, which must be of the declared types and shapes."""
    try:
        flat = nest.flatten_up_to(components.types, values)
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {components.types}, but the yielded element was {values}."
        ) from None
    arrays: List[Any] = []
    expected = zip(flat, components.flat_types(), components.flat_shapes())
    for value, dtype, shape in expected:
        array = _to_array(value, dtype)
        if not shape.is_compatible_with(array.shape):
            raise ValueError(
                f"`generator` yielded an element of shape {array.shape} where an element of shape "
                f"{shape} was expected."
            )
        arrays.append(array)
    return arrays


def _to_array(value: Any, dtype: Any) -> Any:
    if dtype is dtypes.string:
        return np.asarray(value, dtype=object)
    try:
        return np.asarray(value, dtype=dtype.as_numpy_dtype)
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The "
            f"expected type was {dtype.name}, but the yielded element was {value}."
        ) from None
