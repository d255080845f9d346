"""Nested structures that are gone through as deep as another one goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, Dict, List

from troupe._src.control_flow import nest


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> None:  # fmt: skip
    """Checks that a structure has the nesting of a shallow one, and maybe more in its leaves.

    Args:
        shallow_tree: The shallow structure.
        input_tree: The other one.
        check_types: Lists, tuples and named tuples differ from each other.
        expand_composites: Has no effect: sparse tensors are leaves.
        check_subtrees_length: Sequences of both have the same lengths; if not, those of the shallow
            one may be shorter.

    Raises:
        TypeError: There is a leaf where the shallow one is nested, or the types of sequences
            differ.
        ValueError: Lengths or keys differ.
    """
    if not nest.is_nested(shallow_tree):
        return
    if not nest.is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(input_tree)}."
        )
    if check_types and not _are_alike(shallow_tree, input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    wanted, found = len(shallow_tree), len(input_tree)
    if check_subtrees_length and found != wanted:
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{found}, while shallow structure has length {wanted}."
        )
    branches, shallow_branches = _branches(input_tree), _branches(shallow_tree)
    absent = [key for key in shallow_branches if key not in branches]
    if absent:
        raise ValueError(
            f"The shallow_tree's keys are not a subset of the input_tree's keys: {absent} are not"
        )
    for key, branch in shallow_branches.items():
        assert_shallow_structure(
            branch, branches[key], check_types, expand_composites, check_subtrees_length
        )


def _are_alike(one: Any, other: Any) -> bool:
    if isinstance(other, type(one)) or (isinstance(one, Mapping) and isinstance(other, Mapping)):
        return True
    fields = getattr(one, "_fields", None)
    same_names = type(one).__name__ == type(other).__name__
    return fields is not None and same_names and fields == getattr(other, "_fields", None)


def _branches(tree: Any) -> Dict[Any, Any]:
    """The parts of a structure, by keys or numbers, in the order of its leaves."""
    if isinstance(tree, Mapping):
        return {key: tree[key] for key in sorted(tree)}
    return dict(enumerate(tree))


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> List[Any]:  # fmt: skip
    """What a structure has at the leaves of a shallow one.

    Args:
        shallow_tree: The shallow structure.
        input_tree: The other one.
        check_types: Lists, tuples and named tuples differ from each other.
        expand_composites: Has no effect: sparse tensors are leaves.
        check_subtrees_length: Sequences of both have the same lengths; if not, those of the shallow
            one may be shorter.

    Returns:
        The parts, in the order of the leaves.

    Raises:
        TypeError: There is a leaf where the shallow one is nested, or the types of sequences
            differ.
        ValueError: Lengths or keys differ.
    """
    assert_shallow_structure(
        shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length
    )
    return _parts(shallow_tree, input_tree)


def _parts(shallow: Any, tree: Any) -> List[Any]:
    if not nest.is_nested(shallow):
        return [tree]
    branches = _branches(tree)
    return [
        part for key, each in _branches(shallow).items() for part in _parts(each, branches[key])
    ]


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """A shallow structure with the function's results for what others have at its leaves.

    Args:
        shallow_tree: The shallow structure.
        func: A function of a part of each of the others.
        *inputs: One or more structures.
        **kwargs: `check_types`, `expand_composites` and `check_subtrees_length` of
            `flatten_up_to`.

    Returns:
        The structure.

    Raises:
        TypeError: There is a leaf where the shallow one is nested, or the types of sequences
            differ.
        ValueError: There is no structure, or lengths or keys differ.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    parts = zip(*(flatten_up_to(shallow_tree, each, **kwargs) for each in inputs))
    return nest.pack_sequence_as(shallow_tree, [func(*each) for each in parts])


def flatten_dict_items(dictionary: Any) -> Dict[Any, Any]:
    """A dict with the leaves of keys, and the leaves of their values.

    Args:
        dictionary: A dict, whose values have as many leaves as their keys.

    Returns:
        The dict.

    Raises:
        TypeError: It is no dict.
        ValueError: Numbers of leaves differ, or a leaf is in two keys.
    """
    if not isinstance(dictionary, Mapping):
        raise TypeError("input must be a dictionary")
    found: Dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys = nest.flatten(key)
        values = nest.flatten(value) if nest.is_nested(key) else [value]
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
                f"{len(values)} elements. Key: {keys}, value: {values}."
            )
        for each, leaf in zip(keys, values):
            if each in found:
                raise ValueError(f"Could not flatten dictionary: key {each} is not unique.")
            found[each] = leaf
    return found
