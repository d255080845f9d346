"""Walks in both directions along the edges of a graph."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Operation
from troupe._src.graph.walks import IsWithin, get_backward_walk_ops, get_forward_walk_ops
from troupe._src.graph_editor.elements import ControlOutputs
from troupe._src.graph_editor.select import check_cios
from troupe._src.graph_editor.trees import concatenate_unique


def get_walks_intersection_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: IsWithin = None,
    control_inputs: bool = False,
    control_outputs: Optional[ControlOutputs] = None,
    control_ios: Optional[ControlOutputs] = None,
) -> List[Operation]:
    """The operations that depend on some and that others depend on.

    Args:
        forward_seed_ops: The first ones: operations, or tensors for what takes them.
        backward_seed_ops: The last ones: operations, or tensors for what computes them.
        forward_inclusive: Whether the first ones are part of the result.
        backward_inclusive: Whether the last ones are.
        within_ops: Leads to no others, if it is given.
        within_ops_fn: Leads to no others than it is true of.
        control_inputs: Whether the way back goes by control inputs, too.
        control_outputs: If given, the way forward goes by them, too.
        control_ios: If given, both do.

    Returns:
        The operations, each once.

    Raises:
        TypeError: There are other things than operations or tensors.
    """
    forward, backward = _walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops,
        within_ops_fn, control_inputs, control_outputs, control_ios,
    )  # fmt: skip
    behind = set(backward)
    return [op for op in forward if op in behind]


def get_walks_union_ops(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: IsWithin = None,
    control_inputs: bool = False,
    control_outputs: Optional[ControlOutputs] = None,
    control_ios: Optional[ControlOutputs] = None,
) -> List[Operation]:
    """The operations that depend on some or that others depend on.

    Args:
        forward_seed_ops: The first ones: operations, or tensors for what takes them.
        backward_seed_ops: The last ones: operations, or tensors for what computes them.
        forward_inclusive: Whether the first ones are part of the result.
        backward_inclusive: Whether the last ones are.
        within_ops: Leads to no others, if it is given.
        within_ops_fn: Leads to no others than it is true of.
        control_inputs: Whether the way back goes by control inputs, too.
        control_outputs: If given, the way forward goes by them, too.
        control_ios: If given, both do.

    Returns:
        The operations, each once.

    Raises:
        TypeError: There are other things than operations or tensors.
    """
    forward, backward = _walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops,
        within_ops_fn, control_inputs, control_outputs, control_ios,
    )  # fmt: skip
    return concatenate_unique(forward, backward)


def _walks(
    first: Any, last: Any, has_first: bool, has_last: bool, within: Any, is_within: IsWithin,
    control_inputs: bool, control_outputs: Any, control_ios: Any,
) -> Any:  # fmt: skip
    control_inputs, outputs = check_cios(control_inputs, control_outputs, control_ios)
    forward = get_forward_walk_ops(first, has_first, within, is_within, control_outputs=outputs)
    backward = get_backward_walk_ops(
        last, has_last, within, is_within, control_inputs=control_inputs
    )
    return forward, backward
