"""Feeds and fetches of a step: nested structures to names, and results back."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from troupe._src.ops.convert import bfloat16_bits, to_array, to_native, to_numpy
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.types import dtypes

Feeds = List[Tuple[str, Any, int]]


class _Conversion(NamedTuple):
    """How objects of a class are fetched and fed."""

    kind: type
    fetch: Callable[[Any], Any]
    feed: Optional[Callable[[Any, Any], Any]]
    parts: Optional[Callable[[Any], Any]]  # of what a partial run is fed


_conversions: List[_Conversion] = []  # the newest first


def register_session_run_conversion_functions(
    tensor_type: type,
    fetch_function: Callable[[Any], Any],
    feed_function: Optional[Callable[[Any, Any], Any]] = None,
    feed_function_for_partial_run: Optional[Callable[[Any], Any]] = None,
) -> None:
    """Lets sessions fetch and feed objects of a class.

    Args:
        tensor_type: The class.
        fetch_function: Is given an object, and gives a list of what is fetched for it, and a
            function of the values that makes the result.
        feed_function: Is given an object that is a key of the feeds, and its value, and gives
            pairs of tensors and values.
        feed_function_for_partial_run: Is given an object that a partial run is fed, and gives the
            tensors for it.

    Raises:
        ValueError: The class, or one that derives from it, is registered already.
    """
    if any(issubclass(known.kind, tensor_type) for known in _conversions):
        raise ValueError(f"{tensor_type} has already been registered so ignore it.")
    _conversions.insert(
        0,
        _Conversion(tensor_type, fetch_function, feed_function, feed_function_for_partial_run),
    )


def _conversion_of(value: Any) -> Optional[_Conversion]:
    return next((each for each in _conversions if isinstance(value, each.kind)), None)


class FetchPlan(NamedTuple):
    """The tensors to fetch, the operations to run, and how results get the fetches' structure."""

    names: List[str]
    targets: List[str]
    rebuild: Callable[[List[Any]], Any]

    def results(self, tensors: List[Any]) -> Any:
        return self.rebuild([to_numpy(tensor) for tensor in tensors])


def plan_fetches(graph: Graph, fetches: Any) -> FetchPlan:
    """For tensors, operations, names and variables, in nested lists, tuples and dicts."""
    if type(fetches) is Tensor and fetches.graph is graph:
        return FetchPlan([fetches._place], [], lambda values: values[0])
    if type(fetches) is Operation and fetches.graph is graph:
        return FetchPlan([], [fetches._name], lambda values: None)
    names: List[str] = []
    targets: List[str] = []
    rebuild = _rebuilder(graph, fetches, names, targets)
    return FetchPlan(names, targets, rebuild)


def _rebuilder(
    graph: Graph, fetches: Any, names: List[str], targets: List[str]
) -> Callable[[List[Any]], Any]:
    if fetches is None:
        raise TypeError("Fetch argument None has invalid type NoneType")
    conversion = _conversion_of(fetches)
    if conversion is not None:
        parts, contract = conversion.fetch(fetches)
        fetched = [_rebuilder(graph, part, names, targets) for part in parts]
        return lambda values: contract([part(values) for part in fetched])
    if isinstance(fetches, IndexedSlices):
        slices = [fetches.values, fetches.indices, fetches.dense_shape]
        found = [
            _leaf(graph, part, names, targets) if part is not None else lambda _: None
            for part in slices
        ]
        return lambda values: IndexedSlicesValue(*(part(values) for part in found))
    if isinstance(fetches, dict):
        values_of = {key: _rebuilder(graph, item, names, targets) for key, item in fetches.items()}
        dict_type: Any = type(fetches)
        return lambda values: dict_type((key, of(values)) for key, of in values_of.items())
    if isinstance(fetches, SparseTensor):
        fetches = SparseTensorValue(*fetches.parts)
    if isinstance(fetches, (list, tuple)):
        items = [_rebuilder(graph, item, names, targets) for item in fetches]
        make: Any = list if isinstance(fetches, list) else tuple
        if hasattr(fetches, "_fields"):
            make = getattr(type(fetches), "_make")  # noqa: B009
        return lambda values: make([item(values) for item in items])
    return _leaf(graph, fetches, names, targets)


def _leaf(
    graph: Graph, fetch: Any, names: List[str], targets: List[str]
) -> Callable[[List[Any]], Any]:
    try:
        element = graph.as_graph_element(fetch)
    except TypeError as error:
        raise TypeError(
            f"Fetch argument {fetch!r} has invalid type {type(fetch).__name__}, must be a string "
            f"or Tensor. ({error})"
        ) from None
    except KeyError as error:
        raise ValueError(f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error})")
    if isinstance(element, Operation):
        if element._name not in targets:
            targets.append(element._name)
        return lambda values: None
    place = element._place
    if place not in names:
        names.append(place)
    position = names.index(place)
    return lambda values: values[position]


def to_feeds(graph: Graph, feed_dict: Optional[Dict[Any, Any]]) -> Feeds:
    """Converts a feed_dict for the runtime; arrays of the right dtype and layout are not copied."""
    feeds: Feeds = []
    for key, value in (feed_dict or {}).items():
        feeds += [_feed(graph, one_key, one) for one_key, one in _pairs(key, value)]
    return feeds


def _pairs(key: Any, value: Any) -> List[Tuple[Any, Any]]:
    """The (key, value) pairs of a feed whose key and value may be nested tuples."""
    conversion = _conversion_of(key)
    if conversion is not None and conversion.feed is not None:
        return [pair for each in conversion.feed(key, value) for pair in _pairs(*each)]
    if isinstance(key, SparseTensor):
        key = key.parts
    if not isinstance(key, (list, tuple)):
        return [(key, value)]
    return [pair for keys, values in zip(key, value) for pair in _pairs(keys, values)]


def _feed(graph: Graph, key: Any, value: Any) -> Tuple[str, Any, int]:
    if type(key) is not Tensor or key.graph is not graph:
        try:
            key = graph.as_graph_element(key, allow_operation=False)
        except (KeyError, TypeError, ValueError) as error:
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error}") from None
    if not graph.is_feedable(key):
        raise ValueError(f"Tensor {key!r} may not be fed.")
    return to_feed(key, value)


def to_call_feeds(tensors: Sequence[Tensor], values: Sequence[Any]) -> Feeds:
    """Converts the arguments of a callable for the runtime."""
    if len(values) != len(tensors):
        raise ValueError(f"expected {len(tensors)} values to feed, got {len(values)}")
    return [to_feed(tensor, value) for tensor, value in zip(tensors, values)]


def to_feed(tensor: Tensor, value: Any) -> Tuple[str, Any, int]:
    """(name, array or tensor of the runtime, dtype), checked against its dtype and shape."""
    if isinstance(value, (Tensor, Operation)):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays."
        )
    dtype = tensor._dtype
    if type(value) is np.ndarray and _needs_no_copy(value, dtype):
        array: Any = value
    else:
        array = _cast(tensor, value)
    sizes = tensor._shape._sizes
    if sizes != array.shape and not tensor._shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor '{tensor.name}', "
            f"which has shape '{tensor.shape}'"
        )
    if dtype is dtypes.string:
        return _feed_name(tensor), to_native(array, dtype), 0
    return _feed_name(tensor), array, dtype._number


def feed_elements(graph: Graph, feeds: Optional[Sequence[Any]]) -> List[Any]:
    """The tensors of a graph that feeds are of."""
    parts: List[Any] = []
    for feed in feeds or []:
        conversion = _conversion_of(feed)
        if conversion is None or conversion.parts is None:
            parts.append(feed)
        else:
            parts += conversion.parts(feed)
    return [graph.as_graph_element(part, allow_operation=False) for part in parts]


def feed_names(graph: Graph, feeds: Optional[Sequence[Any]]) -> List[str]:
    """What the runtime is fed for them."""
    return [_feed_name(each) for each in feed_elements(graph, feeds)]


def _feed_name(tensor: Tensor) -> str:
    """Of the value of a variable it is the variable: all that reads it then has the value."""
    return tensor._fed_name or tensor._place


def _needs_no_copy(value: Any, dtype: Any) -> bool:
    if dtype._name in ("string", "bfloat16"):
        return False
    return bool(value.dtype == dtype._numpy and value.flags.c_contiguous)


def _cast(tensor: Tensor, value: Any) -> Any:
    dtype = tensor._dtype
    if dtype is dtypes.bfloat16:
        return bfloat16_bits(value)
    if dtype is dtypes.string:
        return to_array(value, dtype)
    if isinstance(value, (int, np.integer)) and not dtype.is_bool and dtype.is_integer:
        if int(np.asarray(value).astype(dtype.as_numpy_dtype)) != value:
            raise TypeError(
                f"Type of feed value {value!r} is not compatible with Tensor type {dtype.name}. "
                "Try explicitly setting the type of the feed tensor to a larger type."
            )
    return np.asarray(value, dtype=dtype._numpy, order="C")
