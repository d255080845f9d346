"""Nested structures whose leaves have paths: keys, names of fields and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, Dict, Iterator, List, Tuple

from troupe._src.control_flow import nest, shallow_nest, structure

Path = Tuple[Any, ...]


def is_sequence_or_composite(seq: object) -> bool:
    """Whether something is nested, or has several tensors.

    Args:
        seq: Anything.

    Returns:
        True for lists, tuples, dicts, sparse and ragged tensors and `IndexedSlices`.
    """
    return nest.is_nested(seq) or structure.is_composite(seq)


def _branches(tree: Any) -> Dict[Any, Any]:
    """The parts of a structure by the parts of paths, in the order of its leaves."""
    if isinstance(tree, Mapping):
        return {key: tree[key] for key in sorted(tree)}
    return dict(zip(getattr(tree, "_fields", range(len(tree))), tree))


def _paths(shallow: Any, tree: Any, start: Path = ()) -> Iterator[Tuple[Path, Any]]:
    if not nest.is_nested(shallow):
        yield start, tree
        return
    branches = _branches(tree)
    for key, branch in _branches(shallow).items():
        yield from _paths(branch, branches[key], (*start, key))


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> List[Tuple[Path, Any]]:  # fmt: skip
    """What a structure has at the leaves of a shallow one, each with its path.

    Args:
        shallow_tree: The shallow structure.
        input_tree: The other one.
        check_types: Lists, tuples and named tuples differ from each other.
        expand_composites: Has no effect: sparse tensors are leaves.
        check_subtrees_length: Sequences of both have the same lengths; if not, those of the shallow
            one may be shorter.

    Returns:
        Pairs of a path and a part, in the order of the leaves.

    Raises:
        TypeError: There is a leaf where the shallow one is nested, or the types of sequences
            differ.
        ValueError: Lengths or keys differ.
    """
    shallow_nest.assert_shallow_structure(
        shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length
    )
    return list(_paths(shallow_tree, input_tree))


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """A shallow structure with the function's results for paths and what others have there.

    Args:
        shallow_tree: The shallow structure.
        func: A function of a path and of a part of each of the others.
        *inputs: One or more structures.
        **kwargs: `check_types`, `expand_composites` and `check_subtrees_length` of
            `flatten_up_to`; more are those of the function.

    Returns:
        The structure.

    Raises:
        TypeError: There is a leaf where the shallow one is nested, or the types of sequences
            differ.
        ValueError: There is no structure, or lengths or keys differ.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    names = ("check_types", "expand_composites", "check_subtrees_length")
    options = {name: kwargs.pop(name) for name in names if name in kwargs}
    paths = [path for path, _ in flatten_with_tuple_paths_up_to(shallow_tree, inputs[0], **options)]
    parts = [shallow_nest.flatten_up_to(shallow_tree, each, **options) for each in inputs]
    results = [func(*each, **kwargs) for each in zip(paths, *parts)]
    return nest.pack_sequence_as(shallow_tree, results)


def map_structure_with_tuple_paths(
    func: Callable[..., Any], *structure: Any, **kwargs: Any
) -> Any:
    """A structure with the function's results for the path and the leaves of others.

    Args:
        func: A function of a path and of a leaf of each structure.
        *structure: One or more structures of the same nesting.
        **kwargs: `check_types`: lists, tuples and named tuples differ from each other; more are
            those of the function.

    Returns:
        The structure.

    Raises:
        TypeError: The structures differ in nesting or types.
        ValueError: There is no structure, or lengths or keys differ.
    """
    if not structure:
        raise ValueError("Cannot map over no sequences")
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """As `map_structure_with_tuple_paths`, with paths such as "a/0".

    Args:
        func: A function of a path and of a leaf of each structure.
        *structure: One or more structures of the same nesting.
        **kwargs: `check_types`: lists, tuples and named tuples differ from each other; more are
            those of the function.

    Returns:
        The structure.

    Raises:
        TypeError: The structures differ in nesting or types.
        ValueError: There is no structure, or lengths or keys differ.
    """

    def call(path: Path, *leaves: Any, **options: Any) -> Any:
        return func("/".join(map(str, path)), *leaves, **options)

    return map_structure_with_tuple_paths(call, *structure, **kwargs)


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[Path]:
    """The paths of the leaves of a structure, in their order.

    Args:
        nest: The structure.
        expand_composites: Has no effect: sparse tensors are leaves.

    Yields:
        Tuples of keys, names of fields and numbers.
    """
    for path, _ in _paths(nest, nest):
        yield path


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> List[Tuple[Path, Any]]:
    """The leaves of a structure, each with its path.

    Args:
        structure: The structure.
        expand_composites: Has no effect: sparse tensors are leaves.

    Returns:
        Pairs of a path and a leaf.
    """
    return list(_paths(structure, structure))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> List[Tuple[str, Any]]:
    """The leaves of a structure, each with a path such as "a/0".

    Args:
        structure: The structure.
        separator: What is between the parts of a path.
        expand_composites: Has no effect: sparse tensors are leaves.

    Returns:
        Pairs of a path and a leaf.
    """
    return [(separator.join(map(str, path)), leaf) for path, leaf in _paths(structure, structure)]


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """The shallow structure of those parts that a function wants to be gone through.

    Args:
        traverse_fn: A function of a part, which returns a bool, or a structure with a bool for
            each of its branches.
        structure: The structure.
        expand_composites: Has no effect: sparse tensors are leaves.

    Returns:
        A structure of bools, for `flatten_up_to`.

    Raises:
        TypeError: The function returned something else.
    """
    wanted = traverse_fn(structure)
    if not nest.is_nested(structure):
        if not isinstance(wanted, bool):
            raise TypeError(f"traverse_fn returned {wanted!r} for {structure!r}, which is a leaf")
        return wanted
    branches = list(_branches(structure).values())
    if isinstance(wanted, bool):
        if not wanted:
            return False
        choice: List[Any] = [True] * len(branches)
    elif nest.is_nested(wanted):
        shallow_nest.assert_shallow_structure(wanted, structure)
        choice = list(_branches(wanted).values())
    else:
        raise TypeError(f"traverse_fn returned {wanted!r}, which is no bool, for {structure!r}")
    if not all(isinstance(each, bool) for each in choice):
        raise TypeError(f"traverse_fn returned more than one level of bools: {wanted!r}")
    shallow = [
        get_traverse_shallow_structure(traverse_fn, branch) if each else False
        for each, branch in zip(choice, branches)
    ]
    if isinstance(structure, Mapping):
        return type(structure)(zip(_branches(structure), shallow))  # type: ignore[call-arg]
    return type(structure)(*shallow) if hasattr(structure, "_fields") else type(structure)(shallow)
