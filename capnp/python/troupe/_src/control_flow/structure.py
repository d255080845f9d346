"""Nested structures of tensors: what branches give and loops carry."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List

from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops.sparse_tensor import SparseTensor


def is_nested(value: Any) -> bool:
    """Whether it is a list, tuple, dict or the like, and no leaf."""
    return isinstance(value, (list, tuple, dict))


def flatten(structure: Any) -> List[Any]:
    """The leaves in order; those of a dict in that of its sorted keys."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for value in structure for leaf in flatten(value)]
    return [structure]


def pack_as(structure: Any, leaves: List[Any]) -> Any:
    """The structure with other leaves."""
    return _pack(structure, iter(leaves))


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(structure, dict):
        packed = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, packed[key]) for key in structure)
    if isinstance(structure, (list, tuple)):
        items = [_pack(value, leaves) for value in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
    return next(leaves)


def map_leaves(function: Callable[[Any], Any], structure: Any) -> Any:
    """The structure with the function's results in place of the leaves."""
    return pack_as(structure, [function(leaf) for leaf in flatten(structure)])


def check_same(one: Any, other: Any, what: str) -> None:
    """ValueError where the nesting differs, TypeError where a type does."""
    if is_nested(one) != is_nested(other):
        raise ValueError(f"{what} must have the same nested structure: {one!r} and {other!r}")
    if not is_nested(one):
        return
    if type(one) is not type(other) and not (
        isinstance(one, (list, tuple)) and isinstance(other, (list, tuple))
        and not hasattr(one, "_fields") and not hasattr(other, "_fields")
    ):  # fmt: skip
        raise TypeError(f"{what} must have the same types: {type(one)} and {type(other)}")
    if isinstance(one, dict) and set(one) != set(other):
        raise ValueError(f"{what} must have the same keys: {sorted(one)} and {sorted(other)}")
    if len(one) != len(other):
        raise ValueError(f"{what} must have as many elements: {len(one)} and {len(other)}")
    pairs = [(one[key], other[key]) for key in one] if isinstance(one, dict) else zip(one, other)
    for first, second in pairs:
        check_same(first, second, what)


def tensors_of(leaf: Any) -> List[Any]:
    """The tensors that a leaf consists of: what goes round a loop, or out of a branch."""
    if isinstance(leaf, SparseTensor):
        return [leaf.indices, leaf.values, leaf.dense_shape]
    if isinstance(leaf, IndexedSlices):
        parts = [leaf.values, leaf.indices]
        return parts if leaf.dense_shape is None else [*parts, leaf.dense_shape]
    if hasattr(leaf, "_of_components"):
        return list(leaf._components)
    if hasattr(leaf, "_variant_tensor"):
        return [leaf._variant_tensor]
    return [leaf.flow] if hasattr(leaf, "flow") else [leaf]


def is_composite(leaf: Any) -> bool:
    """Whether a leaf has several tensors: sparse and ragged tensors, and `IndexedSlices`."""
    return isinstance(leaf, (SparseTensor, IndexedSlices)) or hasattr(leaf, "_of_components")


def is_boxed(leaf: Any) -> bool:
    """Whether one tensor stands for a leaf that is none: an array, a dataset or an optional."""
    return hasattr(leaf, "flow") or hasattr(leaf, "_variant_tensor")


def check_variants(one: Any, other: Any, what: str) -> None:
    """ValueError where the leaves of one hold another kind of variants than those of the other."""
    for first, second in zip(flatten(one), flatten(other)):
        spec = first._type_spec if hasattr(first, "_variant_tensor") else None
        if spec is not None and not spec.is_compatible_with(second):
            raise ValueError(f"{what} must have the same type: {first!r}, {second!r}")


def leaf_of(like: Any, tensors: Iterator[Any]) -> Any:
    """A leaf as `like`, of the next of those tensors."""
    parts = [next(tensors) for _ in tensors_of(like)]
    if isinstance(like, (SparseTensor, IndexedSlices)):
        return type(like)(*parts)
    if hasattr(like, "_of_components"):
        return like._of_components(parts)
    if hasattr(like, "_variant_tensor"):
        return like._type_spec._of_variant(parts[0])
    return like._after(parts[0]) if hasattr(like, "flow") else parts[0]
