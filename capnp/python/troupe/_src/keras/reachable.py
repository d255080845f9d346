"""Which tensors of a graph are computed from others."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Set

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph


def get_reachable_from_inputs(inputs: Any, targets: Optional[Sequence[Any]] = None) -> Set[Any]:
    """The tensors, operations and variables that some of the inputs are needed for.

    Args:
        inputs: Tensors, variables or operations of the default graph; others, such as numbers, lead
            to nothing.
        targets: Ends the search when all of them are found.

    Returns:
        What is reached, with the inputs.
    """
    waiting = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    reached = set(waiting)
    missing = set(targets or ())
    users = _users_of_tensors()  # once, as each tensor finds its own by a look at the whole graph
    while waiting and (targets is None or not missing <= reached):
        for follower in _followers(waiting.pop(), users):
            if follower not in reached:
                reached.add(follower)
                waiting.append(follower)
    return reached


def _users_of_tensors() -> Dict[Tensor, List[Operation]]:
    users: Dict[Tensor, List[Operation]] = {}
    for operation in get_default_graph().get_operations():
        for tensor in operation.inputs:
            users.setdefault(tensor, []).append(operation)
    return users


def _followers(element: Any, users: Dict[Tensor, List[Operation]]) -> Sequence[Any]:
    if isinstance(element, Operation):
        return element.outputs
    if isinstance(element, Tensor):
        return users.get(element, [])
    operation = getattr(element, "op", None)  # of a variable
    return [operation] if isinstance(operation, Operation) else []
