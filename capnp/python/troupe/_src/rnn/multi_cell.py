"""A stack of cells."""

from __future__ import annotations

from logging import WARNING
from typing import Any, Sequence

from troupe._src.control_flow import nest
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops
from troupe._src.platform import logging
from troupe._src.rnn.cell import CompositeCell
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.variable_store import variable_scope


@set_module("troupe.nn.rnn_cell")
class MultiRNNCell(CompositeCell):
    """Cells, each of which gets the output of the one before."""

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        """A stack of cells.

        Args:
            cells: The cells, the first of which gets the inputs.
            state_is_tuple: Whether the state is a tuple of theirs, or all of it in one tensor.

        Raises:
            TypeError: `cells` is no sequence.
            ValueError: There is no cell, or one has a tuple as its state, which does not fit into
                one tensor.
        """
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        if len({id(cell) for cell in cells}) < len(cells):
            logging.log_first_n(
                WARNING,
                "At least two cells provided to MultiRNNCell are the same object and will share "
                "weights.",
                1,
            )
        self._cells, self._state_is_tuple = cells, state_is_tuple
        if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set.  "
                f"State sizes are: {[cell.state_size for cell in cells]}"
            )

    def _inner_cells(self) -> Sequence[Any]:
        return self._cells

    @property
    def state_size(self) -> Any:
        """A tuple of those of the cells, or their sum."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """That of the last cell."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state of zeros.

        Args:
            batch_size: A number or a scalar.
            dtype: The dtype of the state.

        Returns:
            A tuple of the states of the cells, or one tensor.
        """
        with get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            if not self._state_is_tuple:
                return super().zero_state(batch_size, dtype)
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: What the first cell gets.
            state: A tuple of states, or one tensor.

        Returns:
            The output of the last cell, and the next state, of the kind of `state`.

        Raises:
            ValueError: The state is no tuple where it should be.
        """
        if self._state_is_tuple and not nest.is_nested(state):
            raise ValueError(
                f"Expected state to be a tuple of length {len(self.state_size)}, but received: "
                f"{state}"
            )
        states = state
        if not self._state_is_tuple:
            sizes = [cell.state_size for cell in self._cells]
            states = array_ops.as_list(array_ops.split(state, sizes, axis=1))
        output, after = inputs, []
        for number, cell in enumerate(self._cells):
            with variable_scope(f"cell_{number}"):
                output, new = cell(output, states[number])
            after.append(new)
        return output, tuple(after) if self._state_is_tuple else array_ops.concat(after, 1)
