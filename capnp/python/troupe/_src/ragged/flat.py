"""Functions of what ragged tensors have at their innermost."""

from __future__ import annotations

from typing import Any, Callable, List, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ragged import rows
from troupe._src.ragged.tensor import (
    RaggedTensor, convert_to_tensor_or_ragged_tensor, is_ragged,
)  # fmt: skip


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function makes of the innermost values, in the same rows.

    Args:
        op: A function of tensors, whose result has as many values.
        *args: Its arguments, in which each ragged tensor stands for its innermost values, also in
            lists and dicts. All have the same rows, which steps check.
        **kwargs: Its arguments by their names.

    Returns:
        A ragged tensor; without any among the arguments what the function gives.

    Raises:
        ValueError: The numbers of ragged axes differ, or the dtypes of splits do.
    """
    nested_splits: List[Tuple[Tensor, ...]] = []
    flat_args = _with_flat_values(args, nested_splits)
    flat_kwargs = _with_flat_values(kwargs, nested_splits)
    if not nested_splits:
        return op(*args, **kwargs)
    if len({splits[0].dtype for splits in nested_splits}) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    with control_dependencies(rows.check_same_splits(nested_splits)):
        values = op(*flat_args, **flat_kwargs)
        return RaggedTensor.from_nested_row_splits(values, nested_splits[0], validate=False)


def _with_flat_values(value: Any, nested_splits: List[Tuple[Tensor, ...]]) -> Any:
    if is_ragged(value):
        ragged = convert_to_tensor_or_ragged_tensor(value)
        nested_splits.append(ragged.nested_row_splits)
        return ragged.flat_values
    if isinstance(value, (list, tuple)):
        found = [_with_flat_values(each, nested_splits) for each in value]
        return tuple(found) if isinstance(value, tuple) else found
    if isinstance(value, dict):
        return {key: _with_flat_values(each, nested_splits) for key, each in value.items()}
    return value
