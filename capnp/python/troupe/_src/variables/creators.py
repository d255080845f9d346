"""Creators: functions of a program that make its variables, or change how they are made."""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Any, Callable, Dict, Iterator, Sequence

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import init_scope

Creator = Callable[..., Any]


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Makes variables by a function: those of `tf.Variable`, and so of `tf.get_variable`.

    As `tf.variable_creator_scope`. The creator of the innermost scope is called first. Slots of
    optimizers that the runtime makes have no creator.

    Args:
        variable_creator: Called as `variable_creator(next_creator, **kwargs)` with all arguments
            of `tf.Variable` by name. What it gives is what the caller gets: by default
            `next_creator(**kwargs)`, with the same arguments or others.
    """
    graph = get_default_graph()
    with graph._changed(creators=(*graph._scopes.creators, variable_creator)):
        yield


def outside_of_functions(initialize: Callable[..., None]) -> Callable[..., None]:
    """An `__init__` of variables that adds the nodes outside of functions, as `tf.init_scope`.

    A function that is being traced so makes variables, too: they are in the graph around it, where
    an initializer reaches them, and exist once for all calls.
    """

    @functools.wraps(initialize)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> None:
        graph = get_default_graph()
        if not graph._is_function:
            return initialize(self, *args, **kwargs)
        if not getattr(graph, "may_make_variables", True):
            raise ValueError(
                "tf.function-decorated function tried to create variables on non-first call."
            )
        with init_scope():
            return initialize(self, *args, **kwargs)

    return wrapped


def arguments_by_name(
    initialize: Callable[..., None], args: Sequence[Any], kwargs: Dict[str, Any]
) -> Dict[str, Any]:
    """The arguments of an `__init__`, with the defaults of those that are not given."""
    bound = inspect.signature(initialize).bind(None, *args, **kwargs)
    bound.apply_defaults()
    return {name: value for name, value in bound.arguments.items() if name != "self"}


def create_by(creators: Sequence[Creator], make: Creator, arguments: Dict[str, Any]) -> Any:
    """What the creators, of which the last one is called first, make of the arguments."""
    for creator in creators:
        make = functools.partial(creator, make)
    return make(**arguments)
