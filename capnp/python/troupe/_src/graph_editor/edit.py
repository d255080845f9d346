"""Detaches parts of a graph from the rest, and connects them."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph_editor.elements import ControlOutputs, check_graphs
from troupe._src.graph_editor.names import make_placeholder_from_tensor, placeholder_name
from troupe._src.graph_editor.reroute import (
    remove_control_inputs, reroute_inputs, reroute_ts, swap_inputs, swap_outputs,
)  # fmt: skip
from troupe._src.graph_editor.select import check_cios
from troupe._src.graph_editor.subgraph import SubGraphView, make_view
from troupe._src.ops.creation_ops import placeholder


def detach_control_inputs(sgv: Any) -> None:
    """Lets a part of a graph wait for no operations outside.

    Args:
        sgv: A view, or what `make_view` makes one of.
    """
    view = make_view(sgv)
    for op in view.ops:
        remove_control_inputs(op, [each for each in op.control_inputs if each not in view.ops])


def detach_control_outputs(sgv: Any, control_outputs: ControlOutputs) -> None:
    """Lets no operations outside wait for a part of a graph.

    Args:
        sgv: A view, or what `make_view` makes one of.
        control_outputs: Those of the graph.

    Raises:
        TypeError: They are none.
    """
    _, outputs = check_cios(control_ios=control_outputs)
    view = make_view(sgv)
    for op in view.ops:
        for waiting in [] if outputs is None else outputs.get(op):
            if waiting not in view.ops:
                remove_control_inputs(waiting, op)


def detach_inputs(sgv: Any, control_inputs: bool = False) -> Tuple[SubGraphView, List[Tensor]]:
    """Gives a part of a graph placeholders as its inputs.

    Args:
        sgv: A view, which is changed, or what `make_view` makes one of.
        control_inputs: Whether it is to wait for no operations outside, either.

    Returns:
        The view and the placeholders.
    """
    view = make_view(sgv)
    with _graph_of(view).as_default():
        made = [
            placeholder(each.dtype.base_dtype, name=placeholder_name(each)) for each in view.inputs
        ]
    swap_inputs(view, made)
    if control_inputs:
        detach_control_inputs(view)
    return view, made


def detach_outputs(
    sgv: Any, control_outputs: Optional[ControlOutputs] = None
) -> Tuple[SubGraphView, List[Tensor]]:
    """Gives placeholders to the operations that take the outputs of a part of a graph.

    Args:
        sgv: A view, or what `make_view` makes one of.
        control_outputs: If given, none of these is to wait for it, either.

    Returns:
        A view whose outputs are those that were taken, and the placeholders.
    """
    view = make_view(sgv)
    taken = [index for index, each in enumerate(view.outputs) if each.consumers()]
    view = view.remap_outputs(taken)
    users = SubGraphView(view.consumers())
    users = users.remap_inputs([each for each in users.inputs if each in list(view.outputs)])
    with _graph_of(view).as_default():
        made = [make_placeholder_from_tensor(each) for each in users.inputs]
    # In the order of the inputs of those that take them, each once.
    swap_outputs(view.remap_outputs(list(users.inputs)), made)
    if control_outputs is not None:
        detach_control_outputs(view, control_outputs)
    return view, made


def detach(
    sgv: Any,
    control_inputs: bool = False,
    control_outputs: Optional[ControlOutputs] = None,
    control_ios: Optional[ControlOutputs] = None,
) -> Tuple[SubGraphView, List[Tensor], List[Tensor]]:
    """`detach_inputs` and `detach_outputs`.

    Args:
        sgv: A view, which is changed, or what `make_view` makes one of.
        control_inputs: Whether it is to wait for no operations outside, either.
        control_outputs: If given, no operations outside are to wait for it, either.
        control_ios: If given, both.

    Returns:
        The view, and the placeholders of inputs and of outputs.
    """
    control_inputs, outputs = check_cios(control_inputs, control_outputs, control_ios)
    view, inputs = detach_inputs(sgv, control_inputs)
    _, made = detach_outputs(view, outputs)
    return view, inputs, made


def connect(
    sgv0: Any, sgv1: Any, disconnect_first: bool = False
) -> Tuple[SubGraphView, SubGraphView]:
    """Lets a part of a graph take the outputs of another one.

    Args:
        sgv0: The view of the other one, or what `make_view` makes one of.
        sgv1: The view of the part, which is changed.
        disconnect_first: Whether the operations that took these outputs get placeholders.

    Returns:
        Both views.

    Raises:
        ValueError: The outputs do not fit the inputs.
    """
    one, other = make_view(sgv0), make_view(sgv1)
    check_graphs(one, other)
    if disconnect_first:
        detach_outputs(one)
    reroute_inputs(SubGraphView(passthrough_ts=list(one.outputs)), other)
    return one, other


def bypass(sgv: Any) -> Tuple[SubGraphView, List[Tensor]]:
    """Gives the inputs of a part of a graph to the operations that took its outputs.

    Args:
        sgv: A view, which is changed, or what `make_view` makes one of.

    Returns:
        The view, and the placeholders that are its inputs then.

    Raises:
        ValueError: The inputs do not fit the outputs.
    """
    view = make_view(sgv)
    inputs = list(view.inputs)
    view, made = detach_inputs(view)
    reroute_ts(inputs, list(view.outputs))
    return view, made


def _graph_of(view: SubGraphView) -> Any:
    if view.graph is None:
        raise ValueError("A view of nothing cannot be edited.")
    return view.graph
