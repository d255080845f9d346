"""The operations that others depend on, and those that depend on them."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Optional, Set

from troupe._src.graph.elements import Operation, Tensor

IsWithin = Optional[Callable[[Operation], Any]]


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Optional[Iterable[Operation]] = None,
    within_ops_fn: IsWithin = None,
    stop_at_ts: Iterable[Tensor] = (),
    control_inputs: bool = False,
) -> List[Operation]:
    """The operations that some depend on.

    Args:
        seed_ops: Operations, or tensors, which stand for the operations that compute them.
        inclusive: Whether they are part of the result.
        within_ops: Leads to no others, if it is given.
        within_ops_fn: Leads to no others than it is true of.
        stop_at_ts: Goes to no operation by these tensors.
        control_inputs: Whether it goes by control inputs, too.

    Returns:
        The operations, each once.

    Raises:
        TypeError: Something else is among them.
    """
    stops = set(stop_at_ts)

    def before(op: Operation) -> Iterable[Operation]:
        for tensor in op.inputs:
            if tensor not in stops:
                # The value after an update has two: that which reads it, and the update.
                yield from {tensor._op, tensor.op}
        if control_inputs:
            yield from op.control_inputs

    seeds = [op for each in _listed(seed_ops) for op in _computing(each)]
    return _walk(seeds, before, inclusive, within_ops, within_ops_fn)


def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Optional[Iterable[Operation]] = None,
    within_ops_fn: IsWithin = None,
    stop_at_ts: Iterable[Tensor] = (),
    control_outputs: Any = None,
) -> List[Operation]:
    """The operations that depend on some.

    Args:
        seed_ops: Operations, or tensors, which stand for the operations that take them.
        inclusive: Whether they are part of the result.
        within_ops: Leads to no others, if it is given.
        within_ops_fn: Leads to no others than it is true of.
        stop_at_ts: Goes to no operation by these tensors.
        control_outputs: Whether it goes to those that have one as a control input, too.

    Returns:
        The operations, each once.

    Raises:
        TypeError: Something else is among them.
    """
    given = _listed(seed_ops)
    users: Dict[Any, List[Operation]] = {}
    for op in given[0].graph.get_operations() if given else ():
        for used in [*op.inputs, *(op.control_inputs if control_outputs else ())]:
            users.setdefault(used, []).append(op)
    stops = set(stop_at_ts)

    def after(op: Operation) -> Iterable[Operation]:
        for output in [*op.outputs, op]:
            if output not in stops:
                yield from users.get(output, ())

    seeds = [op for each in given for op in (users.get(each, ()) if _is_tensor(each) else [each])]
    return _walk(seeds, after, inclusive, within_ops, within_ops_fn)


def _listed(given: Any) -> List[Any]:
    found = list(given) if isinstance(given, (list, tuple, set)) else [given]
    for each in found:
        if not isinstance(each, (Operation, Tensor)):
            raise TypeError(f"Expected operations or tensors, got {each!r}")
    return found


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def _computing(value: Any) -> Set[Operation]:
    return {value._op, value.op} if isinstance(value, Tensor) else {value}


def _walk(
    seeds: List[Operation],
    neighbors: Callable[[Operation], Iterable[Operation]],
    inclusive: bool,
    within_ops: Optional[Iterable[Operation]],
    is_within: IsWithin,
) -> List[Operation]:
    within = None if within_ops is None else set(within_ops)
    found = dict.fromkeys(op for op in seeds if within is None or op in within)
    first, waiting = set(found), list(found)
    while waiting:
        for op in neighbors(waiting.pop()):
            is_there = within is None or op in within
            if op not in found and is_there and (is_within is None or is_within(op)):
                found[op] = None
                waiting.append(op)
    return [op for op in found if inclusive or op not in first]
