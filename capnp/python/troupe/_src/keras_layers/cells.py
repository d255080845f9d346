"""Cells of `tf.nn.rnn_cell` in the networks of `tf.keras`, and the other way round."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict, List, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.structure import pack_as
from troupe._src.rnn.foreign_cells import build_for


def state_sizes(cell: Any) -> Any:
    """The sizes of the state of a cell as `tf.keras` has them: a number, or a flat list."""
    sizes = cell.state_size
    if not hasattr(cell, "_is_tf_rnn_cell") or not nest.is_nested(sizes):
        return sizes
    return nest.flatten(sizes)


def call_cell(cell: Any, inputs: Any, states: List[Any], **kwargs: Any) -> Tuple[Any, List[Any]]:
    """A step of a cell with flat lists of states, whatever structure its state has.

    Args:
        cell: The cell.
        inputs: The inputs.
        states: The state before.
        **kwargs: What else the cell is called with.

    Returns:
        The output and the next state.
    """
    if not hasattr(cell, "_is_tf_rnn_cell"):
        output, after = cell.call(inputs, states, **kwargs)
        return output, list(after) if isinstance(after, (list, tuple)) else [after]
    output, after = cell.call(inputs, pack_as(cell.state_size, list(states)), **kwargs)
    return output, nest.flatten(after)


def with_positions(own: Callable[..., Any]) -> Callable[..., Any]:
    """The call of layers, with all arguments of `call` also by their positions, and of cells.

    Args:
        own: Keras's.

    Returns:
        The method.
    """

    @functools.wraps(own)
    def call(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if args:
            names = [each for each in inspect.signature(self.call).parameters if each != "inputs"]
            kwargs.update(zip(names, args))
        if "states" in kwargs and hasattr(self, "state_size"):
            return _step(self, inputs, kwargs)
        return own(self, inputs, **kwargs)

    return call


def _step(cell: Any, inputs: Any, arguments: Dict[str, Any]) -> Any:
    """A step of a cell, which is not noted as part of a model."""
    build_for(cell, inputs)
    return cell.call(inputs, **arguments)
