"""Nested structures, under the names of tf.nest."""

from __future__ import annotations

from typing import Any, Callable, List, Sequence

from troupe._src.control_flow import structure as structures


def is_nested(seq: object) -> bool:
    """Whether it is a list, tuple or dict.

    Args:
        seq: Any object.

    Returns:
        The answer.
    """
    return structures.is_nested(seq)


def flatten(structure: Any, expand_composites: bool = False) -> List[Any]:
    """The leaves in order; those of a dict in that of its sorted keys.

    Args:
        structure: Nested lists, tuples and dicts, or a leaf.
        expand_composites: Gives the tensors of sparse and ragged tensors, and not these.

    Returns:
        The leaves.
    """
    leaves = structures.flatten(structure)
    if not expand_composites:
        return leaves
    return [part for leaf in leaves for part in _parts(leaf)]


def _parts(leaf: Any) -> List[Any]:
    return structures.tensors_of(leaf) if structures.is_composite(leaf) else [leaf]


def pack_sequence_as(
    structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False
) -> Any:
    """The structure with other leaves.

    Args:
        structure: Nested lists, tuples and dicts, or a leaf.
        flat_sequence: The leaves, in the order in which `flatten` gives them.
        expand_composites: The leaves are the tensors of sparse tensors, and not these.

    Returns:
        The structure.

    Raises:
        TypeError: `flat_sequence` is no sequence.
        ValueError: It has another number of leaves.
    """
    if not structures.is_nested(flat_sequence) or isinstance(flat_sequence, dict):
        raise TypeError(f"flat_sequence must be a sequence, not {type(flat_sequence).__name__}")
    wanted = len(flatten(structure, expand_composites))
    if not is_nested(structure) and len(flat_sequence) > 1:
        count = len(flat_sequence)
        raise ValueError(f"Structure is a scalar but len(flat_sequence) == {count} > 1")
    if wanted != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {wanted} elements, but flat_sequence had "
            f"{len(flat_sequence)} elements: {structure!r}"
        )
    leaves = list(flat_sequence)
    if expand_composites:
        tensors = iter(leaves)
        leaves = [
            structures.leaf_of(leaf, tensors) if structures.is_composite(leaf) else next(tensors)
            for leaf in structures.flatten(structure)
        ]
    return structures.pack_as(structure, leaves)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """The first structure with the function's results for the leaves at each place of all of them.

    Args:
        func: A function of a leaf of each structure.
        *structure: One or more structures of the same nesting.
        **kwargs: `check_types` (True) and `expand_composites` (False).

    Returns:
        The structure.

    Raises:
        TypeError: `func` cannot be called, or types of structures differ.
        ValueError: There is no structure, the nesting differs, or an argument is unknown.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func!r}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are check_types and expand_composites, not: {kwargs}"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    leaves = zip(*(flatten(each, expand) for each in structure))
    return pack_sequence_as(structure[0], [func(*each) for each in leaves], expand)


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that two structures have the same nesting.

    Args:
        nest1: Nested lists, tuples and dicts, or a leaf.
        nest2: The other one.
        check_types: Lists, tuples and named tuples differ from each other.
        expand_composites: Sparse tensors are structures of their tensors.

    Raises:
        TypeError: The types of sequences differ, and `check_types` is true.
        ValueError: The nesting differs.
    """
    if structures.is_nested(nest1) != structures.is_nested(nest2):
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {nest1!r}\n\nSecond structure: {nest2!r}"
        )
    if not structures.is_nested(nest1):
        return
    is_dict = isinstance(nest1, dict)
    same_type = type(nest1) is type(nest2) or is_dict and isinstance(nest2, dict)
    if is_dict != isinstance(nest2, dict) or (check_types and not same_type):
        raise TypeError(
            "The two structures don't have the same sequence type. First structure has type "
            f"{type(nest1)}, while second structure has type {type(nest2)}."
        )
    if len(nest1) != len(nest2) or (is_dict and set(nest1) != set(nest2)):
        raise ValueError(
            "The two structures don't have the same number of elements.\n\n"
            f"First structure: {nest1!r}\n\nSecond structure: {nest2!r}"
        )
    keys = sorted(nest1) if is_dict else range(len(nest1))
    for key in keys:
        assert_same_structure(nest1[key], nest2[key], check_types, expand_composites)
