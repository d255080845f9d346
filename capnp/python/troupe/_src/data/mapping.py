"""Datasets by functions of elements. Each is given as a tensor, with its components."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Tuple

from troupe._src.control_flow.conversion import traced_or_converted
from troupe._src.data import nest
from troupe._src.data.components import (
    Components,
    components_of,
    convert_components,
    flat_tensors,
    most_specific,
)
from troupe._src.data.dataset_base import DatasetBase
from troupe._src.data.function_graph import TracedFunction
from troupe._src.data.generator import processor_count
from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes

AUTOTUNE = -1


def trace_with(
    what: str, function: Callable[..., Any], components: Components
) -> Tuple[TracedFunction, Any]:
    """A function of elements of those components, and what it returned, as tensors.

    AutoGraph converts it where it has to be, as in `tf.function`.
    """
    return traced_or_converted(lambda form: _trace_with(what, form, components), function)


def _trace_with(
    what: str, function: Callable[..., Any], components: Components
) -> Tuple[TracedFunction, Any]:
    returned: List[Any] = []

    def body(arguments: List[Tensor]) -> List[Tensor]:
        element = components.element(arguments)
        # As in TensorFlow, a tuple without names is a list of arguments.
        result = function(*element) if type(element) is tuple else function(element)
        if isinstance(result, list):
            result = tuple(result)  # as of tf.py_func: its tensors need not be of one type
        returned.append(convert_components(result))
        return flat_tensors(returned[0])

    name = getattr(function, "__name__", type(function).__name__)
    traced = TracedFunction(
        f"{what}_{name}", components.flat_types(), components.flat_shapes(), body
    )
    return traced, returned[0]


def map_elements(
    dataset: DatasetBase,
    function: Callable[..., Any],
    num_parallel_calls: Any,
    preserve_cardinality: bool = False,
) -> Tuple[Tensor, Components]:
    """What the function makes of each element; ends with it, or its end is an error."""
    traced, values = trace_with("map", function, dataset._components)
    components = components_of(values)
    inputs = _inputs(dataset, traced, components)
    inputs["preserve_cardinality"] = preserve_cardinality
    if num_parallel_calls is None:
        return raw_ops.MapDataset(**inputs), components
    calls = convert_to_tensor(num_parallel_calls, dtypes.int32)
    return raw_ops.ParallelMapDataset(num_parallel_calls=calls, **inputs), components


def _inputs(dataset: DatasetBase, traced: TracedFunction, components: Components) -> Any:
    return {
        "input_dataset": dataset._variant_tensor,
        "other_arguments": traced.captured,
        "f": traced.name,
        **components.attrs(),
    }


def _predicate_inputs(what: str, dataset: DatasetBase, predicate: Callable[..., Any]) -> Any:
    traced, result = trace_with(what, predicate, dataset._components)
    if not isinstance(result, Tensor) or result.dtype != dtypes.bool_ or result.shape.rank:
        raise ValueError(
            f"`predicate` return type must be convertible to a scalar boolean tensor. Was {result}."
        )
    inputs = _inputs(dataset, traced, dataset._components)
    inputs["predicate"] = inputs.pop("f")
    return inputs


def filter_elements(
    dataset: DatasetBase, predicate: Callable[..., Any]
) -> Tuple[Tensor, Components]:
    """The elements for which the function returns true."""
    inputs = _predicate_inputs("filter", dataset, predicate)
    return raw_ops.FilterDataset(**inputs), dataset._components


def _trace_to_dataset(
    what: str, function: Callable[..., Any], dataset: DatasetBase
) -> Tuple[TracedFunction, Components]:
    """A function whose result is a dataset, and the components of that."""
    made: List[DatasetBase] = []

    def body(*args: Any) -> Tensor:
        result = function(*args)
        if not isinstance(result, DatasetBase):
            raise TypeError("`map_func` must return a `Dataset` object.")
        made.append(result)
        return result._variant_tensor

    traced, _ = trace_with(what, body, dataset._components)
    return traced, made[0]._components


def flat_map_elements(
    dataset: DatasetBase, function: Callable[..., Any]
) -> Tuple[Tensor, Components]:
    """The elements of the datasets that the function makes, one dataset after the other."""
    traced, components = _trace_to_dataset("flat_map", function, dataset)
    return raw_ops.FlatMapDataset(**_inputs(dataset, traced, components)), components


def interleave_elements(
    dataset: DatasetBase,
    function: Callable[..., Any],
    cycle: Tuple[Any, Any],
    num_parallel_calls: Any,
) -> Tuple[Tensor, Components]:
    """The elements of the datasets that the function makes: `cycle` has their number at a time, and
    how many elements each gives in its turn.
    """
    cycle_length, block_length = cycle
    traced, components = _trace_to_dataset("interleave", function, dataset)
    if isinstance(cycle_length, int) and cycle_length == AUTOTUNE:
        cycle_length = processor_count()
    inputs = {
        "cycle_length": convert_to_tensor(cycle_length, dtypes.int64),
        "block_length": convert_to_tensor(block_length, dtypes.int64),
        **_inputs(dataset, traced, components),
    }
    if num_parallel_calls is None:
        return raw_ops.InterleaveDataset(**inputs), components
    calls = convert_to_tensor(num_parallel_calls, dtypes.int64)
    return raw_ops.ParallelInterleaveDatasetV2(num_parallel_calls=calls, **inputs), components


def interleave_in_parallel(
    dataset: DatasetBase, function: Callable[..., Any], turns: Any
) -> Tuple[Tensor, Components]:
    """The elements of the datasets that the function makes, which are read beside each other.
    `turns` are inputs of the op.
    """
    traced, components = _trace_to_dataset("parallel_interleave", function, dataset)
    inputs = _inputs(dataset, traced, components)
    return raw_ops.ParallelInterleaveDataset(**turns, **inputs), components


class StateFunction(NamedTuple):
    """A function of a state and an element, traced so that its results may be states."""

    traced: TracedFunction
    result: Any  # of the last trace
    state: Components  # what is known of all states


def trace_with_state(
    what: str,
    dataset: DatasetBase,
    state: Any,
    function: Callable[..., Any],
    state_of: Callable[[Any], Any] = lambda result: result,
) -> StateFunction:
    """Traces a function until the states that it makes have the shapes of those that it gets.

    Args:
        what: The name of the transformation.
        dataset: The dataset of the elements.
        state: The first state.
        function: A function of a state and an element.
        state_of: Gives the new state of what the function returns.

    Returns:
        The traced function.

    Raises:
        TypeError: The state changes its structure or its dtypes.
    """
    components = components_of(state)
    while True:
        both = Components(
            (components.types, dataset._types), (components.shapes, dataset._shapes)
        )
        traced, result = trace_with(what, function, both)
        _check_new_state(state, state_of(result))
        shapes = nest.map_structure(
            most_specific, components.shapes, components_of(state_of(result)).shapes
        )
        if repr(shapes) == repr(components.shapes):
            return StateFunction(traced, result, components)
        components = Components(components.types, shapes)


def _check_new_state(state: Any, new_state: Any) -> None:
    """Fails where the structure or the dtypes of a state change."""
    nest.assert_same_structure(state, new_state)
    before, after = (nest.flatten(components_of(each).types) for each in (state, new_state))
    for old, new in zip(before, after):
        if old != new:
            raise TypeError(
                "The element types for the new state must match the initial state. Expected "
                f"{old}; got {new}."
            )


def reduce_elements(dataset: DatasetBase, initial_state: Any, function: Callable[..., Any]) -> Any:
    """The state after the function has been called with it and each element."""
    state = convert_components(initial_state)
    traced, _, components = trace_with_state("reduce", dataset, state, function)
    results = raw_ops.ReduceDataset(
        input_dataset=dataset._variant_tensor,
        initial_state=flat_tensors(state),
        other_arguments=traced.captured,
        f=traced.name,
        **components.attrs(),
    )
    return components.element(list(results))


def scan_elements(
    dataset: DatasetBase, initial_state: Any, function: Callable[..., Any]
) -> Tuple[Tensor, Components]:
    """What the function makes of a state and each element, beside the next state."""
    state = convert_components(initial_state)
    traced, result, _ = trace_with_state("scan", dataset, state, function, _state_of_pair)
    components = components_of(result[1])
    inputs = _inputs(dataset, traced, components)
    inputs["preserve_cardinality"] = True
    return raw_ops.ScanDataset(initial_state=flat_tensors(state), **inputs), components


def _state_of_pair(result: Any) -> Any:
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(
            "The scan function must return a pair comprising the new state and the output value."
        )
    return result[0]


def take_elements_while(
    dataset: DatasetBase, predicate: Callable[..., Any]
) -> Tuple[Tensor, Components]:
    """The elements before the first for which the function returns false."""
    inputs = _predicate_inputs("take_while", dataset, predicate)
    return raw_ops.TakeWhileDataset(**inputs), dataset._components
