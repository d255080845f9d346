"""Lets operations take other tensors, and run after others."""

from __future__ import annotations

from typing import Any, List, Optional, Set, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph_editor.elements import (
    check_graphs, get_consuming_ops, make_list_of_op, make_list_of_t,
)  # fmt: skip
from troupe._src.graph_editor.subgraph import SubGraphView, make_view


def swap_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Lets the operations that take one tensor take another one, and the other way round.

    Args:
        ts0: Tensors.
        ts1: The other tensor for each.
        can_modify: The operations that change, by default all that take one.
        cannot_modify: Operations that do not.

    Returns:
        How many inputs have changed.

    Raises:
        TypeError: There are other things than tensors or operations.
        ValueError: There are not as many of both, or two have other dtypes or shapes.
    """
    return _reroute(ts0, ts1, True, can_modify, cannot_modify)


def reroute_ts(ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None) -> int:
    """Lets the operations that take one tensor take another one.

    Args:
        ts0: The tensors that are taken afterwards.
        ts1: The tensor that was taken, for each.
        can_modify: The operations that change, by default all that take one.
        cannot_modify: Operations that do not.

    Returns:
        How many inputs have changed.

    Raises:
        TypeError: There are other things than tensors or operations.
        ValueError: There are not as many of both, or two have other dtypes or shapes.
    """
    return _reroute(ts0, ts1, False, can_modify, cannot_modify)


def _reroute(ts0: Any, ts1: Any, swaps: bool, can_modify: Any, cannot_modify: Any) -> int:
    pairs = _pairs(make_list_of_t(ts0), make_list_of_t(ts1))
    allowed = None if can_modify is None else set(make_list_of_op(can_modify))
    refused = set() if cannot_modify is None else set(make_list_of_op(cannot_modify))
    changes: List[Tuple[Operation, Tensor, Tensor]] = []
    # All are found first, because a tensor may be in several pairs.
    for one, other in pairs:
        if one is not other:
            changes += [(op, other, one) for op in other.consumers()]
            changes += [(op, one, other) for op in one.consumers() if swaps]
    chosen = [
        (op, before, after)
        for op, before, after in changes
        if op not in refused and (allowed is None or op in allowed)
    ]
    return _change_inputs(chosen)


def _change_inputs(changes: List[Tuple[Operation, Tensor, Tensor]]) -> int:
    """Replaces each input by what is the first to replace it."""
    taken = {op: op.inputs for op, _, _ in changes}
    done: Set[Tuple[Operation, int]] = set()
    for op, before, after in changes:
        for index, tensor in enumerate(taken[op]):
            if tensor is before and (op, index) not in done:
                op._update_input(index, after)
                done.add((op, index))
    return len(done)


def _pairs(ts0: List[Tensor], ts1: List[Tensor]) -> List[Tuple[Tensor, Tensor]]:
    """ValueError unless each can stand for the other."""
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for one, other in zip(ts0, ts1):
        if not one.dtype.is_compatible_with(other.dtype):
            raise ValueError(f"Dtypes {one.dtype} and {other.dtype} are not compatible.")
        if not one.shape.is_compatible_with(other.shape):
            raise ValueError(f"Shapes {one.shape} and {other.shape} are not compatible.")
    return list(zip(ts0, ts1))


def swap_inputs(sgv0: Any, sgv1: Any) -> Tuple[SubGraphView, SubGraphView]:
    """Lets two parts of a graph take the inputs of each other.

    Args:
        sgv0: A view, which is changed, or what `make_view` makes one of.
        sgv1: Another one.

    Returns:
        Both views.

    Raises:
        ValueError: They have not as many inputs, or inputs of other dtypes or shapes.
    """
    return _reroute_inputs(sgv0, sgv1, True)


def reroute_inputs(sgv0: Any, sgv1: Any) -> Tuple[SubGraphView, SubGraphView]:
    """Lets a part of a graph take the inputs of another one.

    Args:
        sgv0: The view of the other one, or what `make_view` makes one of.
        sgv1: The view of the part, which is changed.

    Returns:
        Both views.

    Raises:
        ValueError: They have not as many inputs, or inputs of other dtypes or shapes.
    """
    return _reroute_inputs(sgv0, sgv1, False)


def _reroute_inputs(sgv0: Any, sgv1: Any, swaps: bool) -> Tuple[SubGraphView, SubGraphView]:
    one, other = make_view(sgv0), make_view(sgv1)
    check_graphs(one, other)
    passing = [*one.passthroughs, *other.passthroughs]
    can_modify = [*one.ops, *other.ops, *get_consuming_ops(passing)]
    _reroute(list(one.inputs), list(other.inputs), swaps, can_modify, None)
    before, now = one.copy(), other.copy()
    _take_inputs(other, now, before)
    if swaps:
        _take_inputs(one, before, now)
    return one, other


def _take_inputs(view: SubGraphView, before: SubGraphView, other: SubGraphView) -> None:
    """Gives a view the inputs that another one had, and its outputs that pass through."""
    view._input_ts, view._passthrough_ts = list(other._input_ts), list(other._passthrough_ts)
    view._output_ts = [
        view._input_ts[before._input_ts.index(each)] if each in before._passthrough_ts else each
        for each in before._output_ts
    ]


def swap_outputs(sgv0: Any, sgv1: Any) -> Tuple[SubGraphView, SubGraphView]:
    """Lets the operations that take the outputs of one part take those of another one, and back.

    Args:
        sgv0: A view, or what `make_view` makes one of.
        sgv1: Another one.

    Returns:
        Both views.

    Raises:
        ValueError: They have not as many outputs, or outputs of other dtypes or shapes.
    """
    return _reroute_outputs(sgv0, sgv1, True)


def reroute_outputs(sgv0: Any, sgv1: Any) -> Tuple[SubGraphView, SubGraphView]:
    """Lets the operations that take the outputs of a part take those of another one.

    Args:
        sgv0: The view of the other one, or what `make_view` makes one of.
        sgv1: The view of the part.

    Returns:
        Both views.

    Raises:
        ValueError: They have not as many outputs, or outputs of other dtypes or shapes.
    """
    return _reroute_outputs(sgv0, sgv1, False)


def _reroute_outputs(sgv0: Any, sgv1: Any, swaps: bool) -> Tuple[SubGraphView, SubGraphView]:
    one, other = make_view(sgv0), make_view(sgv1)
    check_graphs(one, other)
    _reroute(list(one.outputs), list(other.outputs), swaps, None, [*one.ops, *other.ops])
    return one, other


def swap_ios(sgv0: Any, sgv1: Any) -> Tuple[SubGraphView, SubGraphView]:
    """`swap_outputs`, then `swap_inputs`.

    Args:
        sgv0: A view, which is changed, or what `make_view` makes one of.
        sgv1: Another one.

    Returns:
        Both views.

    Raises:
        ValueError: They do not fit each other.
    """
    return swap_inputs(*swap_outputs(sgv0, sgv1))


def reroute_ios(sgv0: Any, sgv1: Any) -> Tuple[SubGraphView, SubGraphView]:
    """`reroute_outputs`, then `reroute_inputs`.

    Args:
        sgv0: The view of the other part, or what `make_view` makes one of.
        sgv1: The view of the part, which is changed.

    Returns:
        Both views.

    Raises:
        ValueError: They do not fit each other.
    """
    return reroute_inputs(*reroute_outputs(sgv0, sgv1))


def remove_control_inputs(op: Operation, cops: Any) -> None:
    """Lets an operation no longer wait for some.

    Args:
        op: The operation.
        cops: Its control inputs that are removed.

    Raises:
        TypeError: There are other things than operations.
        ValueError: It does not wait for one.
    """
    before = _checked(op).control_inputs
    removed = make_list_of_op(cops, allow_graph=False)
    for each in removed:
        if each not in before:
            raise ValueError(f"{each.name} is not a control_input of {op.name}")
    if removed:
        op._remove_all_control_inputs()
        op._add_control_inputs([each for each in before if each not in removed])


def add_control_inputs(op: Operation, cops: Any) -> None:
    """Lets an operation run after further ones.

    Args:
        op: The operation.
        cops: The further ones.

    Raises:
        TypeError: There are other things than operations.
        ValueError: It waits for one already.
    """
    before = _checked(op).control_inputs
    added = make_list_of_op(cops, allow_graph=False)
    for each in added:
        if each in before:
            raise ValueError(f"{each.name} is already a control_input of {op.name}")
    op._add_control_inputs(added)


def _checked(op: Optional[Operation]) -> Operation:
    if not isinstance(op, Operation):
        raise TypeError(f"Expected a tf.Operation, got: {type(op)}")
    return op
