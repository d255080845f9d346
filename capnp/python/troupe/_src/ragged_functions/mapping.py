"""Functions over the rows of ragged tensors, in loops."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.structure import flatten, is_nested, pack_as
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.ragged.factories import row_count
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import (
    RaggedTensor, RaggedTensorType, convert_to_tensor_or_ragged_tensor, match_row_splits_dtypes,
)  # fmt: skip
from troupe._src.types import dtypes


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
    """The results of a function for each row, where rows or results may be ragged.

    Args:
        fn: A function of a row, in the structure of `elems`.
        elems: Nested tensors of rank 1 or more, or ragged ones, with as many rows.
        dtype: The dtypes of the results, in their structure; a `RaggedTensorType` for what is
            ragged with all results. By default those of `elems`.
        parallel_iterations: How many rows may be computed at once, by default 10.
        back_prop: Whether gradients go through the loop.
        swap_memory: Changes nothing.
        infer_shape: Demands that all results that are tensors have one shape.
        name: The name scope of the nodes.

    Returns:
        Nested tensors and ragged tensors, in the structure of the results.

    Raises:
        TypeError: `fn` cannot be called, or `elems` has a sparse tensor.
        ValueError: A tensor has no axis, or results are not what `dtype` says.
    """
    if not callable(fn):
        raise TypeError("fn must be callable.")
    given = flatten(elems)
    if any(isinstance(each, SparseTensor) for each in given):
        raise TypeError("The elements of a sparse tensor are not known one by one.")
    with name_scope(name, "map"):
        inputs = [convert_to_tensor_or_ragged_tensor(each, name="elem") for each in given]
        match_row_splits_dtypes(*inputs)
        if any(each.shape.rank == 0 for each in inputs):
            raise ValueError("elems must be 1+ dimensional Tensors, not scalars")
        results = _packed(elems, [each.dtype for each in inputs]) if dtype is None else dtype
        count = row_count(inputs[0], dtypes.int32)
        outputs = [_Output(each, count, infer_shape) for each in flatten(results)]

        def body(index: Any, arrays: Any) -> Any:
            found = flatten(fn(_packed(elems, [each[index] for each in inputs])))
            if len(found) != len(outputs):
                raise ValueError("fn must give what dtype says: their structures differ")
            parts = [part for out, value in zip(outputs, found) for part in out.parts_of(value)]
            return index + 1, [array.write(index, part) for array, part in zip(arrays, parts)]

        _, arrays = while_loop(
            lambda index, _: index < count, body,
            [constant(0), [array for out in outputs for array in out.arrays]],
            parallel_iterations=parallel_iterations or 10, back_prop=back_prop,
            swap_memory=swap_memory, maximum_iterations=count,
        )  # fmt: skip
        remaining = iter(arrays)
        found = [out.joined([next(remaining) for _ in out.arrays]) for out in outputs]
        return _packed(results, found)


def _packed(structure: Any, leaves: List[Any]) -> Any:
    return pack_as(structure, leaves) if is_nested(structure) else leaves[0]


class _Output:
    """The arrays of one result: those of its parts, where it is ragged."""

    def __init__(self, kind: Any, count: Tensor, infer_shape: bool) -> None:
        self._kind = kind
        self._is_ragged = isinstance(kind, RaggedTensorType)
        parts = [kind]
        if self._is_ragged:
            parts = [kind.dtype, *[kind.row_splits_dtype] * kind.ragged_rank]
        self.arrays = [
            TensorArray(
                dtype=part, size=count, dynamic_size=False,
                infer_shape=infer_shape and not self._is_ragged,
            )
            for part in parts
        ]  # fmt: skip

    def parts_of(self, value: Any) -> List[Any]:
        """The values and the lengths of rows of a result; the lengths of the outermost are last."""
        if not self._is_ragged:
            return [value]
        kind = self._kind
        found = convert_to_tensor_or_ragged_tensor(value)
        rank = found.ragged_rank if isinstance(found, RaggedParts) else 0
        if kind.ragged_rank != rank + 1:
            raise ValueError(
                f"The declared ragged rank ({kind.ragged_rank}) mismatches the result ({rank + 1})"
            )
        if kind.dtype != found.dtype:
            raise ValueError(
                f"The declared dtype ({kind.dtype}) mismatches the result ({found.dtype})"
            )
        if rank and found.row_splits.dtype != kind.row_splits_dtype:
            raise ValueError(
                f"The declared row_splits dtype ({kind.row_splits_dtype}) mismatches the result "
                f"({found.row_splits.dtype})."
            )
        flat, lengths = _lengths(found)
        outer = array_ops.reshape(row_count(found, kind.row_splits_dtype), [1])
        return [flat, *lengths, outer]

    def joined(self, arrays: List[TensorArray]) -> Any:
        """The result of all rows."""
        if not self._is_ragged:
            return arrays[0].stack()
        flat, *lengths = [array.concat() for array in arrays]
        return RaggedTensor.from_nested_row_lengths(
            flat, [lengths[-1], *lengths[:-1]], validate=False
        )


def _lengths(value: Any) -> Tuple[Tensor, Tuple[Tensor, ...]]:
    if not isinstance(value, RaggedParts):
        return value, ()
    return value.flat_values, value.nested_row_lengths()
