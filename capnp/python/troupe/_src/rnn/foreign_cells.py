"""Cells of `tf.keras`, whose state is a list, in networks of this folder."""

from __future__ import annotations

import sys
from typing import Any

from troupe._src.control_flow import nest
from troupe._src.graph.graph import get_default_graph

_MODULE = f"{__name__.split('.', maxsplit=1)[0]}.keras.engine.base_layer"


def is_keras_cell(cell: Any) -> bool:
    """Whether it is a layer of `tf.keras`, without what cells of `tf.nn.rnn_cell` have."""
    module = sys.modules.get(_MODULE)
    return (
        module is not None
        and not hasattr(cell, "_is_tf_rnn_cell")
        and not hasattr(cell, "zero_state")
        and isinstance(cell, module.Layer)
    )


def build_for(cell: Any, inputs: Any, leading: int = 0) -> None:
    """Makes the variables of a cell of `tf.keras`, outside of loops.

    Args:
        cell: The cell; of other classes nothing is made.
        inputs: The tensor that it gets.
        leading: How many axes there are before those of a step.
    """
    if not is_keras_cell(cell) or cell.built or nest.is_nested(inputs):
        return
    with get_default_graph().name_scope(cell.name):
        cell.build(tuple(inputs.shape[leading:].as_list()))
    cell.built = True


def stepped(cell: Any, inputs: Any, state: Any) -> Any:
    """A step of a cell.

    Args:
        cell: The cell.
        inputs: The inputs.
        state: The state, a tensor or in the structure of the cell.

    Returns:
        The output and the next state.
    """
    if not is_keras_cell(cell):
        return cell(inputs, state)
    output, after = cell(inputs, state if nest.is_nested(state) else [state])
    is_one = len(after) == 1 and not nest.is_nested(state)
    return output, after[0] if is_one else after
