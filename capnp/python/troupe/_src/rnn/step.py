"""A step of a network, in which sequences that have ended keep their states."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Callable, Iterator, List, Optional, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import math_ops, selection_ops
from troupe._src.variables.variable_store import VariableScope, variable_scope


@contextlib.contextmanager
def network_scope(
    scope: Any, default_name: Optional[str] = None
) -> Iterator[VariableScope]:
    """The scope of a network, which reads each variable of its cells once a step.

    That would be wrong in a loop of the program, whose iterations may change the variables.
    Without a scope it has the default name, made unique, or else the one name "rnn".
    """
    with variable_scope(scope or (None if default_name else "rnn"), default_name) as entered:
        is_outside = get_default_graph()._scopes.context == -1
        if is_outside and entered.caching_device is None:
            entered.set_caching_device(lambda op: op.device)
        yield entered


def copied(is_finished: Tensor, before: Any, after: Any) -> Any:
    """The rows of finished sequences as before; scalars and arrays are those afterwards."""
    if isinstance(before, TensorArray) or before.shape.rank == 0:
        return after
    with get_default_graph().colocate_with(after):
        return selection_ops.where(is_finished, before, after)


@dataclasses.dataclass
class Lengths:
    """The lengths of the sequences of a batch."""

    each: Tensor

    def __post_init__(self) -> None:
        self.least = math_ops.reduce_min(self.each)
        self.most = math_ops.reduce_max(self.each)


@dataclasses.dataclass
class Step:
    """The cell at a time: where a sequence has ended, zeros, and the state as it was."""

    time: Any
    lengths: Lengths
    zero_output: Any
    state: Any
    call_cell: Callable[[], Tuple[Any, Any]]

    def selected(self) -> Tuple[Any, Any]:
        """(output, next state), by calling the cell in any case."""
        return self._packed(self._copied(self._called()))

    def conditional(self) -> Tuple[Any, Any]:
        """(output, next state), without calling the cell when all sequences have ended."""
        unchanged = self._before()

        def go_on() -> Any:
            called = self._called()
            return cond(
                self.time < self.lengths.least,
                lambda: called,
                lambda: self._copied(called),
                strict=True,
            )

        is_over = self.time >= self.lengths.most
        return self._packed(cond(is_over, lambda: unchanged, go_on, strict=True))

    def _before(self) -> List[Any]:
        return nest.flatten(self.zero_output) + nest.flatten(self.state)

    def _called(self) -> List[Any]:
        output, state = self.call_cell()
        nest.assert_same_structure(self.zero_output, output)
        nest.assert_same_structure(self.state, state)
        return nest.flatten(output) + nest.flatten(state)

    def _copied(self, called: List[Any]) -> List[Any]:
        is_finished = self.time >= self.lengths.each
        return [copied(is_finished, *pair) for pair in zip(self._before(), called)]

    def _packed(self, leaves: List[Any]) -> Tuple[Any, Any]:
        for leaf, before in zip(leaves, self._before()):
            if not isinstance(leaf, TensorArray):
                leaf.set_shape(before.shape)
        count = len(nest.flatten(self.zero_output))
        output = nest.pack_sequence_as(self.zero_output, leaves[:count])
        return output, nest.pack_sequence_as(self.state, leaves[count:])
