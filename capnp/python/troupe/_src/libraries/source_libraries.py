"""Functions that other libraries import by their place in TensorFlow's source."""

from __future__ import annotations

import functools
import importlib
import re
import types
from typing import Any, Callable, Dict, List, Optional

from troupe._src.api.text_types import as_str
from troupe._src.control_flow.conditional import check_any, check_exclusive, checked_pairs
from troupe._src.control_flow.nest import is_nested
from troupe._src.control_flow.shallow_nest import assert_shallow_structure
from troupe._src.framework.static_values import get_static_value
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.platform.logging import warning as warn


class LazyLoader(types.ModuleType):
    """Stands for a module that is imported when something of it is used.

    Args:
        local_name: The name that it has in the other module.
        parent_module_globals: The names of that module, which then get the module itself.
        name: The name of the module.
        warning: What is logged when it is imported.
    """

    def __init__(
        self,
        local_name: str,
        parent_module_globals: Dict[str, Any],
        name: str,
        warning: Optional[str] = None,
    ) -> None:
        super().__init__(name)
        self._local_name, self._globals = local_name, parent_module_globals
        self._warning = warning

    def _load(self) -> types.ModuleType:
        module = importlib.import_module(self.__name__)
        self._globals[self._local_name] = module
        if self._warning:
            warn(self._warning)
            self._warning = None
        return module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

    def __dir__(self) -> List[str]:
        return dir(self._load())


class NodeTransformer:
    """The base class of a program's own converters of Python: there is no AutoGraph to run them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("AutoGraph, which converts Python to graphs, is not part of this")


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Whether it is a named tuple, and if `strict`, of a class without further bases."""
    kind = type(instance)
    fields = getattr(kind, "_fields", None)
    is_one = isinstance(instance, tuple) and isinstance(fields, tuple)
    if strict and kind.__base__ is not tuple:
        return False
    return is_one and all(isinstance(name, str) for name in fields or ())


_NAME = re.compile(r"(\^|loc:@)?(.*)", re.DOTALL)  # a control input, a group, or as it is


def strip_name_scope(name: str, export_scope: Optional[str]) -> str:
    """A name of a message without the scope that it begins with."""
    if not export_scope:
        return name
    kind, rest = _NAME.fullmatch(as_str(name)).groups("")  # type: ignore[union-attr]
    scope = export_scope.rstrip("/") + "/"
    return kind + (rest[len(scope) :].lstrip("/") if rest.startswith(scope) else rest)


def prepend_name_scope(name: str, import_scope: Optional[str]) -> str:
    """A name of a message within a scope."""
    if not import_scope:
        return name
    kind, rest = _NAME.fullmatch(as_str(name)).groups("")  # type: ignore[union-attr]
    return f"{kind}{import_scope.rstrip('/')}/{rest}"


def try_evaluate_constant(graph: Any, output: Tensor) -> Any:
    """The value of a tensor where it is known, as `tf.get_static_value` gives it."""
    return get_static_value(output)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """As deep a structure as a function says.

    Args:
        traverse_fn: A function of a structure: whether to go into it, or a structure of these.
        structure: The structure.
        expand_composites: Has no effect: sparse tensors are leaves.

    Returns:
        The part of the structure that is gone through, with False where it ends, else True.

    Raises:
        TypeError: The function gives something else.
    """
    wanted = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(wanted, bool):
            raise TypeError(
                f"traverse_fn returned structure: {wanted} for non-structure: {structure}"
            )
        return wanted
    if wanted is False:
        return False
    branches = children(structure)
    if wanted is True:
        return pack_children(structure, [
            get_traverse_shallow_structure(traverse_fn, branch) for branch in branches
        ])  # fmt: skip
    if not is_nested(wanted):
        raise TypeError(f"traverse_fn returned a non-bool scalar: {wanted} for input: {structure}")
    assert_shallow_structure(wanted, structure)
    found = []
    for goes_on, branch in zip(children(wanted), branches):
        if not isinstance(goes_on, bool):
            raise TypeError(
                f"traverse_fn didn't return a depth=1 structure of bools.  saw: {wanted} "
                f" for structure: {structure}"
            )
        found.append(goes_on and get_traverse_shallow_structure(traverse_fn, branch))
    return pack_children(structure, found)


def children(structure: Any) -> List[Any]:
    """What is directly in a structure; of a dict in the order of its keys."""
    if isinstance(structure, dict):
        return [structure[key] for key in sorted(structure)]
    return list(structure)


def pack_children(structure: Any, values: List[Any]) -> Any:
    """The structure with other values directly in it."""
    if isinstance(structure, dict):
        by_key = dict(zip(sorted(structure), values))
        return type(structure)((key, by_key[key]) for key in structure)
    return type(structure)(*values) if hasattr(structure, "_fields") else type(structure)(values)


def is_in_xla_context(graph: Any) -> bool:
    """False: graphs are not compiled."""
    return False


def case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Optional[Callable[[], Any]],
    exclusive: bool,
    name: str,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """What `tf.case` gives, with another function in place of `tf.cond`."""
    pairs = checked_pairs(pred_fn_pairs, exclusive, allow_python_preds)
    with get_default_graph().name_scope(name or "case"):
        predicates = [predicate for predicate, _ in pairs]
        functions = [function for _, function in pairs]
        checks = [check_exclusive(predicates)] if exclusive else []
        if default is None:
            checks.append(check_any(predicates))
            predicates, default = predicates[:-1], functions.pop()
        chosen: Callable[[], Any] = default
        for predicate, function in reversed(list(zip(predicates, functions))):
            chosen = functools.partial(
                cond_fn, predicate, true_fn=function, false_fn=chosen, **cond_kwargs
            )
        with get_default_graph().control_dependencies(checks):
            return chosen()
