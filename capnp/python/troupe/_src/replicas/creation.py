"""Makes the variables of programs with several replicas."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops.array_ops import identity
from troupe._src.replicas.contexts import current
from troupe._src.replicas.mirrored_variable import MirroredVariable, mirrored
from troupe._src.replicas.replica_threads import made_before, remember
from troupe._src.variables.initial_values import initial_value_of
from troupe._src.variables.synchronization import VariableSynchronization
from troupe._src.variables.variable import Variable


def mirrored_creator(strategy: Any) -> Callable[..., Any]:
    """A creator of variables with a copy for each replica of the strategy.

    Args:
        strategy: Has several replicas.

    Returns:
        A function for `tf.variable_creator_scope`.
    """

    def create(next_creator: Callable[..., Any], **arguments: Any) -> Any:
        found = current()
        if found is None or found.strategy is not strategy or found.copy is not None:
            return next_creator(**arguments)
        name = arguments.get("name") or "Variable"
        known = made_before(name)
        if known is not None:
            return known
        made = _make(strategy, next_creator, arguments)
        remember(name, made)
        return made

    return create


def _make(
    strategy: Any, next_creator: Callable[..., Any], arguments: Dict[str, Any]
) -> MirroredVariable:
    extended, graph = strategy.extended, get_default_graph()
    keys = arguments["collections"]
    keys = [GraphKeys.GLOBAL_VARIABLES] if keys is None else list(keys)
    # The runtime lists the copies among the global variables, and programs find one instead.
    own_keys = [key for key in keys if key != GraphKeys.TRAINABLE_VARIABLES]
    given = {**arguments, "collections": own_keys, "trainable": False, "use_resource": True}
    given["caching_device"] = None
    copies: List[Variable] = []
    workers = extended._workers
    place: Any = contextlib.nullcontext() if workers is None else workers.own_container()
    with place:
        _add_copies(extended, next_creator, given, arguments, copies)
    for key in own_keys:
        listed = graph.get_collection_ref(key)
        listed[:] = [each for each in listed if all(each is not copy for copy in copies)]
    return mirrored(strategy, copies, {**arguments, "collections": keys})


def _add_copies(
    extended: Any,
    next_creator: Callable[..., Any],
    given: Dict[str, Any],
    arguments: Dict[str, Any],
    copies: List[Variable],
) -> None:
    graph = get_default_graph()
    with extended._at_copy(0):
        first = {**given, "initial_value": _initial_value(extended, arguments)}
        copies.append(next_creator(**first))
    for number in range(1, extended._local_count):
        with extended._at_copy(number), graph.name_scope(None):
            own = {
                **given,
                "name": f"{copies[0].op.name}/replica_{number}",
                "initial_value": lambda: identity(_known(copies[0].initial_value)),
            }
            copies.append(next_creator(**own))


def _known(initial: Optional[Tensor]) -> Tensor:
    assert initial is not None
    return initial


def _initial_value(extended: Any, arguments: Dict[str, Any]) -> Any:
    """The initial value, which is that of the first program where several have replicas."""
    value, workers = arguments["initial_value"], extended._workers
    is_local = GraphKeys.LOCAL_VARIABLES in (arguments["collections"] or ())
    on_read = arguments["synchronization"] == VariableSynchronization.ON_READ
    if workers is None or is_local or on_read:
        return value
    name = arguments.get("name") or "Variable"
    own = initial_value_of(value, arguments.get("dtype"), name)
    return workers.of_first(own)
