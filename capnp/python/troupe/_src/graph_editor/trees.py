"""Nested values, whose leaves are operations and tensors."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Optional, Sequence

from troupe._src.graph.elements import Tensor


class ListView:
    """A list that cannot be changed through it."""

    def __init__(self, list_: List[Any]) -> None:
        """Shows a list.

        Args:
            list_: The list, whose later changes are seen.

        Raises:
            TypeError: It is no list.
        """
        if not isinstance(list_, list):
            raise TypeError(f"Expected a list, got: {type(list_)}.")
        self._list = list_

    def __iter__(self) -> Iterator[Any]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __bool__(self) -> bool:
        return bool(self._list)

    def __getitem__(self, index: Any) -> Any:
        return self._list[index]

    def __add__(self, other: Any) -> List[Any]:
        return [*self._list, *other]


def concatenate_unique(la: List[Any], lb: Any) -> List[Any]:
    """Adds to a list what it has not yet.

    Args:
        la: The list, which is changed.
        lb: What is added, in this order.

    Returns:
        The list.
    """
    known = set(la)
    for each in lb:
        if each not in known:
            known.add(each)
            la.append(each)
    return la


def is_iterable(obj: Any) -> bool:
    """Whether something has parts: a tensor has none here.

    Args:
        obj: Any object.

    Returns:
        The answer.
    """
    if isinstance(obj, Tensor):
        return False
    try:
        iter(obj)
    except Exception:  # of a class of the program's own, which may raise any
        return False
    return True


def flatten_tree(tree: Any, leaves: Optional[List[Any]] = None) -> List[Any]:
    """The leaves of a nested value.

    Args:
        tree: Values in dicts and in anything that can be iterated over, or one value.
        leaves: A list to which they are added, by default a new one.

    Returns:
        The list.
    """
    found = [] if leaves is None else leaves
    if isinstance(tree, dict):
        for child in tree.values():
            flatten_tree(child, found)
    elif is_iterable(tree):
        for child in tree:
            flatten_tree(child, found)
    else:
        found.append(tree)
    return found


def transform_tree(tree: Any, fn: Callable[[Any], Any], iterable_type: Any = tuple) -> Any:
    """A nested value with other leaves.

    Args:
        tree: Values in dicts, sequences and what else can be iterated over, or one value.
        fn: Gives the leaf instead of one.
        iterable_type: The class that stands for what is neither a dict nor a sequence.

    Returns:
        The value, of the same classes.
    """
    if not is_iterable(tree):
        return fn(tree)
    kind: Any = type(tree)
    if isinstance(tree, dict):
        made = kind.__new__(kind)
        made.__init__((key, transform_tree(child, fn)) for key, child in tree.items())
        return made
    parts = [transform_tree(child, fn) for child in tree]
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return kind(*parts)
    if isinstance(tree, (tuple, Sequence)):
        return kind(parts)
    return iterable_type(parts)
