"""Calls of input functions, and what they give: features, labels and hooks."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, List, NamedTuple, Tuple

from troupe._src.data.dataset import Dataset
from troupe._src.data.iterator import make_initializable_iterator
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys


class Inputs(NamedTuple):
    """The features and labels that a model is made for; labels may be None."""

    features: Any
    labels: Any


def argument_names(function: Any) -> Tuple[str, ...]:
    """The names of the arguments that a caller may give a function by name."""
    bound = function.keywords if isinstance(function, functools.partial) else {}
    parameters = inspect.signature(function).parameters.values()
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(each.name for each in parameters if each.kind in named and each.name not in bound)


def accepts(function: Any, name: str) -> bool:
    """True if a function has that argument."""
    return name in argument_names(function)


def inputs_of(
    call: Callable[[], Any], initializers: str = GraphKeys.TABLE_INITIALIZERS
) -> Inputs:
    """Calls an input function.

    A dataset gets an iterator that begins with the session; what initializes it is added to that
    collection.
    """
    result = call()
    if isinstance(result, Dataset):
        iterator = make_initializable_iterator(result)
        graph = get_default_graph()
        graph.add_to_collection(initializers, iterator.initializer)
        result = iterator.get_next()
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError(
                "input_fn should return (features, labels) as a len 2 tuple. "
                f"Got a len {len(result)} tuple."
            )
        return Inputs(result[0], result[1])
    return Inputs(result, None)


def checked_hooks(hooks: Any, kind: type, name: str) -> List[Any]:
    """The hooks as a list; TypeError unless each is of that class."""
    found = list(hooks or [])
    for hook in found:
        if not isinstance(hook, kind):
            raise TypeError(f"{name} must be a list of `{kind.__name__}`, given: {hook}")
    return found
