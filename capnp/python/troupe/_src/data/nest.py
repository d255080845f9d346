"""Structures of the components of an element: tuples and dicts, nested. A list is one tensor."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List

from troupe._src.ops.sparse_tensor import SparseTensorValue


def is_nested(value: Any) -> bool:
    """Whether it is a structure, and no component."""
    return isinstance(value, (tuple, dict)) and not isinstance(value, SparseTensorValue)


def flatten(structure: Any) -> List[Any]:
    """The components in order; those of a dict in that of its sorted keys."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    if is_nested(structure):
        return [leaf for value in structure for leaf in flatten(value)]
    return [structure]


def pack_as(structure: Any, leaves: List[Any]) -> Any:
    """The structure with other components."""
    return _pack(structure, iter(leaves))


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(structure, dict):
        packed = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, packed[key]) for key in structure)
    if is_nested(structure):
        items = [_pack(value, leaves) for value in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
    return next(leaves)


def map_structure(function: Callable[..., Any], structure: Any, *others: Any) -> Any:
    """The structure with the function's results in place of the components."""
    for other in others:
        assert_same_structure(structure, other)
    rows = zip(flatten(structure), *map(flatten, others))
    return pack_as(structure, [function(*row) for row in rows])


def flatten_up_to(shallow: Any, deep: Any) -> List[Any]:
    """What `deep` has where `shallow` has its components; that may be nested."""
    if isinstance(shallow, dict):
        if not isinstance(deep, dict) or set(shallow) != set(deep):
            raise ValueError(f"expected a dict with the keys {sorted(shallow)}, got {deep!r}")
        return [leaf for key in sorted(shallow) for leaf in flatten_up_to(shallow[key], deep[key])]
    if is_nested(shallow):
        if not isinstance(deep, (tuple, list)) or len(shallow) != len(deep):
            raise ValueError(f"expected {len(shallow)} items, got {deep!r}")
        return [leaf for one, other in zip(shallow, deep) for leaf in flatten_up_to(one, other)]
    return [deep]


def assert_same_structure(one: Any, other: Any) -> None:
    """ValueError where the nesting differs, TypeError where a type does."""
    if is_nested(one) != is_nested(other):
        raise ValueError(
            f"The two structures don't have the same nested structure: {one!r} and {other!r}"
        )
    if not is_nested(one):
        return
    if isinstance(one, dict) != isinstance(other, dict):
        raise TypeError(f"The two structures have different types: {one!r} and {other!r}")
    if isinstance(one, dict) and set(one) != set(other):
        raise ValueError(f"The two dictionaries don't have the same set of keys: {one} and {other}")
    if len(one) != len(other):
        raise ValueError(
            f"The two structures don't have the same number of elements: {one!r} and {other!r}"
        )
    pairs = [(one[key], other[key]) for key in one] if isinstance(one, dict) else zip(one, other)
    for first, second in pairs:
        assert_same_structure(first, second)
