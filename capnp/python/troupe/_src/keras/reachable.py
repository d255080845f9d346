"""Which tensors of a graph are computed from others."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Set

from troupe._src.graph.elements import Operation, Tensor


def get_reachable_from_inputs(inputs: Any, targets: Optional[Sequence[Any]] = None) -> Set[Any]:
    """The tensors, operations and variables that some of the inputs are needed for.

    Args:
        inputs: Tensors, variables or operations; others, such as numbers, lead to nothing.
        targets: Ends the search when all of them are found.

    Returns:
        What is reached, with the inputs.
    """
    waiting = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    reached = set(waiting)
    missing = set(targets or ())
    while waiting and (targets is None or not missing <= reached):
        for follower in _followers(waiting.pop()):
            if follower not in reached:
                reached.add(follower)
                waiting.append(follower)
    return reached


def _followers(element: Any) -> Sequence[Any]:
    if isinstance(element, Operation):
        return element.outputs
    if isinstance(element, Tensor):
        return element.consumers()
    operation = getattr(element, "op", None)  # of a variable
    return [operation] if isinstance(operation, Operation) else []
