"""Cells along several dimensions of a grid (Kalchbrenner et al., 2015)."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Union

from troupe._src.contrib.layers import fully_connected
from troupe._src.contrib.regularizers import xavier_initializer
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.platform import logging
from troupe._src.rnn.cell import RNNCell
from troupe._src.rnn.lstm_cells import LSTMCell
from troupe._src.set_module import set_module
from troupe._src.variables.variable_scope import get_variable
from troupe._src.variables.variable_store import get_variable_scope, variable_scope

_MODULE = "troupe.contrib.grid_rnn"
Dims = Union[int, Sequence[int], None]


class _Dims(NamedTuple):
    """Which of the dimensions are what."""

    number: int
    inputs: List[int]
    outputs: List[int]
    priority: List[int]
    non_recurrent: List[int]

    @property
    def recurrents(self) -> List[int]:
        """Those that have a state."""
        return [dim for dim in range(self.number) if dim not in self.non_recurrent]

    @property
    def non_priority(self) -> List[int]:
        """Those that are computed first."""
        return [dim for dim in range(self.number) if dim not in self.priority]


def _checked(given: Dims, count: int) -> List[int]:
    listed = [] if given is None else given
    found = sorted(set(listed if isinstance(listed, (list, tuple)) else [listed]))
    if any(dim < 0 or dim >= count for dim in found):
        raise ValueError(f"Invalid dims: {found}. Must be in [0, {count})")
    return found


class _Step:
    """The values of a step: memories and outputs before it, outputs and states after it."""

    def __init__(self, count: int) -> None:
        self.memories: List[Any] = [None] * count
        self.before: List[Any] = [None] * count
        self.outputs: List[Any] = [None] * count
        self.states: List[Any] = [None] * count


@set_module(_MODULE)
class GridRNNCell(RNNCell):
    """A cell for each dimension of a grid, whose inputs are the outputs of the others.

    Args:
        num_units: The size of a cell.
        num_dims: The number of dimensions.
        input_dims: Those whose outputs before a step are projections of its inputs.
        output_dims: Those whose outputs are outputs.
        priority_dims: Those that are computed last, of the new outputs of the others.
        non_recurrent_dims: Those that have a dense layer instead of a cell.
        tied: Whether dimensions share their weights.
        cell_fn: Makes a cell of a size, by default an `LSTMCell`.
        non_recurrent_fn: The activation of dense layers, by default `relu`.
        state_is_tuple: Whether a state is a tuple of those of dimensions, rather than one tensor.
        output_is_tuple: Whether an output is a tuple of those of dimensions, rather than one
            tensor.

    Raises:
        ValueError: A dimension does not exist.
        TypeError: What `cell_fn` makes is no cell.
    """

    def __init__(
        self,
        num_units: int,
        num_dims: int = 1,
        input_dims: Dims = None,
        output_dims: Dims = None,
        priority_dims: Dims = None,
        non_recurrent_dims: Dims = None,
        tied: bool = False,
        cell_fn: Optional[Callable[[int], Any]] = None,
        non_recurrent_fn: Optional[Callable[..., Any]] = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__()
        for what, is_tuple in (("state", state_is_tuple), ("output", output_is_tuple)):
            if not is_tuple:
                logging.warning(
                    "%s: Using a concatenated %s is slower and will soon be deprecated.  Use "
                    "%s_is_tuple=True.", self, what, what,
                )  # fmt: skip
        if num_dims < 1:
            raise ValueError(f"dims must be >= 1: {num_dims}")
        kinds = (input_dims, output_dims, priority_dims, non_recurrent_dims)
        self._dims = _Dims(num_dims, *(_checked(given, num_dims) for given in kinds))
        self._activation = non_recurrent_fn or gen_ops.relu
        self._num_units, self._is_tied = num_units, tied
        self._state_is_tuple, self._output_is_tuple = state_is_tuple, output_is_tuple

        def make() -> Any:
            if cell_fn is not None:
                return cell_fn(num_units)
            return LSTMCell(num_units=num_units, state_is_tuple=state_is_tuple)

        self._cells = [make()] * num_dims if tied else [make() for _ in range(num_dims)]
        if not isinstance(self._cells[0], RNNCell):
            raise TypeError(
                f"cell_fn must return an RNNCell instance, saw: {type(self._cells[0])}"
            )

    @property
    def output_size(self) -> Any:
        """Those of the outputs, or their sum."""
        sizes = tuple(self._cells[0].output_size for _ in self._dims.outputs)
        return sizes if self._output_is_tuple else sum(sizes)

    @property
    def state_size(self) -> Any:
        """Those of the states, or their sum."""
        if self._state_is_tuple:
            return tuple(self._cells[0].state_size for _ in self._dims.recurrents)
        return self._cell_state_size() * len(self._dims.recurrents)

    def _cell_state_size(self) -> int:
        sizes = self._cells[0].state_size
        total: int = sum(sizes) if isinstance(sizes, tuple) else sizes
        return total

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size]; its columns are divided among the input dimensions.
            state: The state before the step.
            scope: Of the variables, by default the name of the class.

        Returns:
            The output and the state.
        """
        step = self._before(state)
        with variable_scope(scope or type(self).__name__):
            self._project(inputs, step)
            first = True
            for dims in (self._dims.non_priority, self._dims.priority):
                self._propagate(dims, step, first)
                first = False
            output: Any = tuple(step.outputs[dim] for dim in self._dims.outputs)
            if not self._output_is_tuple:
                output = _concatenated(output, inputs.dtype)
            states: Any = tuple(step.states[dim] for dim in self._dims.recurrents)
            if not self._state_is_tuple:
                parts = [part for state in states for part in state]
                states = _concatenated(parts, inputs.dtype)
        return output, states

    def _before(self, state: Any) -> _Step:
        """The memories and outputs of a state."""
        step = _Step(self._dims.number)
        size = self._cell_state_size()
        output_size = size - self._num_units
        dims = self._dims.recurrents
        if self._state_is_tuple:
            if len(dims) != len(state):
                raise ValueError(f"Expected state as a tuple of {len(dims)} element")
            parts = list(state)
        else:
            parts = [state[:, start : start + size] for start in range(0, self.state_size, size)]
            if output_size > 0:
                units = self._num_units
                parts = [(part[:, :units], part[:, units:]) for part in parts]
        for dim, part in zip(dims, parts):
            if output_size > 0:
                step.memories[dim], step.before[dim] = part
            else:
                step.before[dim] = part
        return step

    def _project(self, inputs: Any, step: _Step) -> None:
        """Takes projections of inputs for the memories and outputs of input dimensions."""
        dims = self._dims.inputs
        if inputs is None or not dims:
            return
        if isinstance(inputs, tuple):
            if len(dims) != len(inputs):
                raise ValueError(f"Expect inputs as a tuple of {len(dims)} tensors")
            parts = list(inputs)
        else:
            if not inputs.shape.with_rank(2)[1].value:
                return
            parts = array_ops.split(inputs, len(dims), axis=1)
        has_memory = self._cell_state_size() > self._num_units
        for part, dim in zip(parts, dims):
            sizes = [part.shape.with_rank(2)[1].value, self._num_units]
            weights = get_variable(f"project_m_{dim}", sizes, part.dtype)
            step.before[dim] = math_ops.matmul(part, weights)
            if has_memory:
                weights = get_variable(f"project_c_{dim}", sizes, part.dtype)
                step.memories[dim] = math_ops.matmul(part, weights)

    def _propagate(self, dims: Sequence[int], step: _Step, is_first: bool) -> None:
        """Computes the outputs and states of dimensions."""
        if not dims:
            return

        def latest(dim: int) -> Any:
            return step.before[dim] if step.outputs[dim] is None else step.outputs[dim]

        count = self._dims.number
        last = latest(count - 1)
        if count > 1:
            inputs = array_ops.concat([latest(dim) for dim in range(count - 1)], 1)
        else:
            n_rows = array_ops.shape(step.before[0])[0]
            zeros = creation_ops.zeros(array_ops.stack([n_rows, 0]), step.before[0].dtype)
            zeros.set_shape([step.before[0].shape[0], 0])
            inputs = zeros
        for dim in dims:
            is_dense = dim in self._dims.non_recurrent
            name = "non_recurrent" if is_dense else "recurrent"
            with variable_scope(name if self._is_tied else f"{name}/cell_{dim}"):
                if self._is_tied and not (is_first and dim == dims[0]):
                    get_variable_scope().reuse_variables()
                if is_dense:
                    given = array_ops.concat([inputs, last], 1) if count > 1 else last
                    step.outputs[dim] = self._dense(given)
                    continue
                memory = step.memories[dim]
                state = last if memory is None else (memory, last)
                step.outputs[dim], step.states[dim] = self._cells[dim](inputs, state)

    def _dense(self, inputs: Any) -> Any:
        scope = get_variable_scope()
        return fully_connected(
            inputs, self._num_units, activation_fn=self._activation,
            weights_initializer=scope.initializer or xavier_initializer(),
            weights_regularizer=scope.regularizer,
        )  # fmt: skip


def _concatenated(tensors: Sequence[Any], dtype: Any) -> Any:
    if not tensors:
        return creation_ops.zeros([0, 0], dtype)
    return array_ops.concat(list(tensors), 1)
