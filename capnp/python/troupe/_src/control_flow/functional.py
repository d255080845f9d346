"""Functions over the elements of tensors, in loops."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.nest import assert_same_structure
from troupe._src.control_flow.structure import flatten, is_nested, pack_as
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


def _elements(fn: Any, elems: Any) -> Tuple[List[Tensor], Any, Optional[int]]:
    """The tensors, how many elements they have as a tensor, and as a number if it is known."""
    if not callable(fn):
        raise TypeError("fn must be callable.")
    tensors = []
    known: TensorShape = TensorShape([None])
    for elem in flatten(elems):
        if isinstance(elem, SparseTensor):
            raise TypeError(
                "The elements of a sparse tensor are not known one by one: apply the function to "
                "its values, or to tf.sparse.to_dense of it."
            )
        tensor = convert_to_tensor(elem, name="elem")
        if tensor.shape.rank == 0:
            raise ValueError("elems must be 1+ dimensional Tensors, not scalars")
        if tensor.shape.rank is not None:
            known = known.merge_with(tensor.shape[:1])
        tensors.append(tensor)
    static = known.as_list()[0]
    count = static if static is not None else array_ops.shape(tensors[0])[0]
    return tensors, convert_to_tensor(count, dtypes.int32), static


def _unstacked(tensors: List[Tensor], count: Tensor) -> List[TensorArray]:
    return [
        TensorArray(
            dtype=tensor.dtype, size=count, dynamic_size=False, infer_shape=True,
            element_shape=tensor.shape[1:] if tensor.shape.rank is not None else None,
        ).unstack(tensor)
        for tensor in tensors
    ]  # fmt: skip


def _packed(structure: Any, leaves: List[Any]) -> Any:
    return pack_as(structure, leaves) if is_nested(structure) else leaves[0]


def _stacked(arrays: List[TensorArray], static: Optional[int]) -> List[Tensor]:
    results = [array.stack() for array in arrays]
    for result in results:
        if result.shape.rank is not None:
            result.set_shape([static, *result.shape.as_list()[1:]])
    return results


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Optional[int] = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: Optional[str] = None,
) -> Any:
    """The results of a function for each element along the first axis, stacked.

    Args:
        fn: A function of an element, in the structure of `elems`.
        elems: Nested tensors of rank 1 or more, with the same first size.
        dtype: The dtypes of the results, in their structure; by default those of `elems`.
        parallel_iterations: How many elements may be computed at once, by default 10.
        back_prop: Whether gradients go through the loop.
        swap_memory: Changes nothing.
        infer_shape: Demands that all results have one shape.

    Returns:
        Nested tensors in the structure of the results, with one axis more.

    Raises:
        TypeError: `fn` cannot be called or gives another structure than `dtype` says, or `elems`
            has a sparse tensor.
        ValueError: A tensor of `elems` has no axis, or their first sizes differ.
    """
    with get_default_graph().name_scope(name or "map"):
        tensors, count, static = _elements(fn, elems)
        results = elems if dtype is None else dtype
        wanted = [tensor.dtype for tensor in tensors] if dtype is None else flatten(dtype)
        inputs = _unstacked(tensors, count)
        outputs = [
            TensorArray(dtype=each, size=count, dynamic_size=False, infer_shape=infer_shape)
            for each in wanted
        ]

        def body(index: Any, arrays: Any) -> Any:
            values = fn(_packed(elems, [array.read(index) for array in inputs]))
            leaves = flatten(values)
            if len(leaves) != len(arrays) or is_nested(values) != is_nested(results):
                raise TypeError("fn must give what dtype says: their structures differ")
            assert_same_structure(results, values)
            written = [array.write(index, value) for array, value in zip(arrays, leaves)]
            return index + 1, written

        _, arrays = while_loop(
            lambda index, _: index < count, body, [0, outputs],
            parallel_iterations=parallel_iterations or 10, back_prop=back_prop,
            swap_memory=swap_memory, maximum_iterations=count,
        )  # fmt: skip
        return _packed(results, _stacked(arrays, static))


def vectorized_map(fn: Callable[[Any], Any], elems: Any) -> Any:
    """The results of a function for each element along the first axis, stacked.

    As `map_fn`, but that the function need not be said to give what: it is called once more, on the
    first element, to see. (TensorFlow adds nodes that compute all elements at once.)

    Args:
        fn: A function of an element, in the structure of `elems`.
        elems: Nested tensors of rank 1 or more, with the same first size.

    Returns:
        Nested tensors in the structure of the results, with one axis more.

    Raises:
        TypeError: `fn` cannot be called, or `elems` has a sparse tensor.
        ValueError: A tensor of `elems` has no axis, or their first sizes differ.
    """
    with get_default_graph().name_scope("vectorized_map"):
        tensors, _, _ = _elements(fn, elems)
        shown = fn(_packed(elems, [tensor[0] for tensor in tensors]))
        dtypes = [convert_to_tensor(leaf).dtype for leaf in flatten(shown)]
        return map_fn(fn, elems, dtype=_packed(shown, dtypes))


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: Optional[str] = None,
) -> Any:
    """`fn(... fn(fn(initializer, elems[0]), elems[1]) ...)`; without initializer from elems[0].

    Args:
        fn: A function of the value so far and an element.
        elems: Nested tensors of rank 1 or more, with the same first size.
        initializer: The first value, nested tensors; by default the first element.
        parallel_iterations: How many iterations may run at once, where they do not need each
            other's values.
        back_prop: Whether gradients go through the loop.
        swap_memory: Changes nothing.

    Returns:
        Nested tensors: the last value.

    Raises:
        TypeError: `fn` cannot be called, or `elems` has a sparse tensor.
        ValueError: A tensor of `elems` has no axis, or their first sizes differ.
    """
    with get_default_graph().name_scope(name or "foldl"):
        return _fold(fn, elems, initializer, parallel_iterations, back_prop, is_reverse=False)


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: Optional[str] = None,
) -> Any:
    """As foldl, from the last element to the first.

    Args:
        fn: A function of the value so far and an element.
        elems: Nested tensors of rank 1 or more, with the same first size.
        initializer: The first value, nested tensors; by default the last element.
        parallel_iterations: How many iterations may run at once, where they do not need each
            other's values.
        back_prop: Whether gradients go through the loop.
        swap_memory: Changes nothing.

    Returns:
        Nested tensors: the last value.

    Raises:
        TypeError: `fn` cannot be called, or `elems` has a sparse tensor.
        ValueError: A tensor of `elems` has no axis, or their first sizes differ.
    """
    with get_default_graph().name_scope(name or "foldr"):
        return _fold(fn, elems, initializer, parallel_iterations, back_prop, is_reverse=True)


def _fold(
    fn: Any, elems: Any, initializer: Any, parallel: int, back_prop: bool, is_reverse: bool
) -> Any:
    tensors, count, _ = _elements(fn, elems)
    inputs = _unstacked(tensors, count)

    def element(step: Any) -> Any:
        index = count - 1 - step if is_reverse else step
        return _packed(elems, [array.read(index) for array in inputs])

    start: Any = 0
    if initializer is None:
        initializer, start = element(convert_to_tensor(0)), 1
    first = pack_as(initializer, [convert_to_tensor(value) for value in flatten(initializer)])

    def body(step: Any, value: Any) -> Any:
        return step + 1, fn(value, element(step))

    _, result = while_loop(
        lambda step, _: step < count, body, [start, first],
        parallel_iterations=parallel, back_prop=back_prop, maximum_iterations=count,
    )  # fmt: skip
    return result


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: Optional[str] = None,
) -> Any:
    """The values that a fold goes through, stacked.

    Args:
        fn: A function of the value so far and an element; gives the next value, in the same
            structure.
        elems: Nested tensors of rank 1 or more, with the same first size.
        initializer: What the first element is combined with, nested tensors; by default the first
            element is the first value.
        parallel_iterations: How many iterations may run at once, where they do not need each
            other's values.
        back_prop: Whether gradients go through the loop.
        swap_memory: Changes nothing.
        infer_shape: Demands that all values have the shape of the first.
        reverse: Goes from the last element to the first. Results stay at the places of their
            elements.

    Returns:
        Nested tensors in the structure of a value, with one axis more.

    Raises:
        TypeError: `fn` cannot be called, or `elems` has a sparse tensor.
        ValueError: `fn` gives another structure, a tensor of `elems` has no axis, or their first
            sizes differ.
    """
    with get_default_graph().name_scope(name or "scan"):
        tensors, count, static = _elements(fn, elems)
        inputs = _unstacked(tensors, count)

        def place(step: Any) -> Any:
            return count - 1 - step if reverse else step

        def element(step: Any) -> Any:
            return _packed(elems, [array.read(place(step)) for array in inputs])

        structure = elems if initializer is None else initializer
        start = 1 if initializer is None else 0
        begin = element(convert_to_tensor(0)) if initializer is None else initializer
        values = [convert_to_tensor(value) for value in flatten(begin)]
        outputs = [
            TensorArray(
                dtype=value.dtype, size=count, dynamic_size=False, infer_shape=infer_shape,
                element_shape=value.shape if infer_shape else None,
            )
            for value in values
        ]  # fmt: skip
        if initializer is None:
            at = place(convert_to_tensor(0))
            outputs = [array.write(at, value) for array, value in zip(outputs, values)]

        def body(step: Any, value: Any, arrays: Any) -> Any:
            value = fn(_packed(structure, flatten(value)), element(step))
            if is_nested(value) != is_nested(structure):
                raise ValueError(
                    "The two structures don't have the same nested structure: "
                    f"{structure!r} and {value!r}"
                )
            written = [
                array.write(place(step), each) for array, each in zip(arrays, flatten(value))
            ]
            return step + 1, flatten(value), written

        _, _, arrays = while_loop(
            lambda step, *_: step < count, body, [start, values, outputs],
            parallel_iterations=parallel_iterations, back_prop=back_prop,
            maximum_iterations=count,
        )  # fmt: skip
        return _packed(structure, _stacked(arrays, static))
