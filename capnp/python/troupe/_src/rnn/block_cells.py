"""Cells whose step is one op, with the variables of the cells that it replaces."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros
from troupe._src.platform import logging
from troupe._src.rnn.cell import LayerRNNCell, check_tensors
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import as_shape
from troupe._src.variables.initializers import Constant, Zeros


class MemoryWeights:
    """The variables of a layer that computes a memory cell with one op.

    Args:
        layer: The layer, which makes them.
        depth: The size of an input.
        units: The number of units.
        has_peepholes: Whether the memory goes into the gates.
    """

    def __init__(self, layer: Any, depth: int, units: int, has_peepholes: bool) -> None:
        self.kernel = layer.add_weight("kernel", [depth + units, 4 * units])
        self.bias = layer.add_weight("bias", [4 * units], initializer=Zeros())
        self._units, self._dtype = units, layer._dtype
        self._peepholes: Any = None
        if has_peepholes:
            self._peepholes = {
                f"wc{gate}": layer.add_weight(f"w_{gate}_diag", [units]) for gate in "ifo"
            }

    def arguments(self) -> Any:
        """Those of the op that are weights."""
        peepholes = self._peepholes
        if peepholes is None:  # not looked at, but the op has the arguments
            peepholes = dict.fromkeys(
                ("wci", "wcf", "wco"), zeros([self._units], self._dtype or self.kernel.dtype)
            )
        return {"w": self.kernel, "b": self.bias, **peepholes}


@set_module("troupe.contrib.rnn")
class LSTMBlockCell(LayerRNNCell):
    """A memory cell as `LSTMCell`, of one op and with the same variables."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Optional[float] = None,
        use_peephole: bool = False,
        dtype: Optional[DTypeLike] = None,
        reuse: Any = None,
        name: Optional[str] = "lstm_cell",
    ) -> None:
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory and of the output.
            forget_bias: Added to what goes into the forget gate.
            cell_clip: The largest absolute value in the memory; derivatives pass through it.
            use_peephole: Whether the memory goes into the gates, each unit into its own.
            dtype: The dtype of the variables, by default that of the first input.
            reuse: Whether the variables are those that exist in the scope.
            name: The name of the layer.
        """
        super().__init__(dtype, _reuse=reuse, name=name)
        self._num_units, self._use_peephole = num_units, use_peephole
        self._forget_bias = forget_bias
        self._cell_clip = -1.0 if cell_clip is None else cell_clip
        self._memory: Any = None

    @property
    def state_size(self) -> Any:
        """The sizes of the memory and of the output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, the bias, and the peepholes.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        depth = self._depth_of(inputs_shape)
        self._memory = MemoryWeights(self, depth, self._num_units, self._use_peephole)
        self.built = True

    def call(self, inputs: TensorLike, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats, or any pair.

        Returns:
            The output, [batch, num_units], and the next state, an LSTMStateTuple.

        Raises:
            ValueError: The state is no pair.
        """
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        check_tensors([inputs, state])
        memory, before = state
        _, memory, _, _, _, _, output = raw_ops.LSTMBlockCell(
            x=inputs,
            cs_prev=memory,
            h_prev=before,
            **self._memory.arguments(),
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return output, LSTMStateTuple(memory, output)


@set_module("troupe.contrib.rnn")
class GRUBlockCell(LayerRNNCell):
    """A gated unit as `GRUCell`, of one op, with variables of other names; V2 has the same."""

    _NAMES = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: Optional[int] = None,
        cell_size: Optional[int] = None,
        reuse: Any = None,
        name: Optional[str] = "gru_cell",
    ) -> None:
        """A cell of `num_units`.

        Args:
            num_units: The size of the state and of the output.
            cell_size: The older name of `num_units`.
            reuse: Whether the variables are those that exist in the scope.
            name: The name of the layer.

        Raises:
            ValueError: Both sizes are given, or none.
        """
        super().__init__(None, _reuse=reuse, name=name)
        if (num_units is None) == (cell_size is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        if cell_size is not None:
            logging.warning("%s: cell_size is deprecated, use num_units instead", self)
        units = cell_size if num_units is None else num_units
        assert units is not None
        self._cell_size = units
        self._weights_of_op: Any = None

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._cell_size

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._cell_size

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels and biases of the gates and of the candidate.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        depth, units = self._depth_of(inputs_shape), self._cell_size
        rows = depth + units
        gates, gates_bias, candidate, candidate_bias = self._NAMES
        self._weights_of_op = {
            "w_ru": self.add_weight(gates, [rows, 2 * units]),
            "b_ru": self.add_weight(gates_bias, [2 * units], initializer=Constant(1.0)),
            "w_c": self.add_weight(candidate, [rows, units]),
            "b_c": self.add_weight(candidate_bias, [units], initializer=Zeros()),
        }
        self.built = True

    def call(self, inputs: TensorLike, h_prev: TensorLike) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            h_prev: Floats, [batch, num_units].

        Returns:
            The output and the next state, which are the same.

        Raises:
            ValueError: The state is of another size.
        """
        state = convert_to_tensor(h_prev)
        check_tensors([inputs, state])
        size = as_shape(state.shape).with_rank(2)[1].value
        if size != self._cell_size:
            raise ValueError(f"Shape of h_prev[1] incorrect: cell_size {self._cell_size} vs {size}")
        *_, output = raw_ops.GRUBlockCell(x=inputs, h_prev=state, **self._weights_of_op)
        return output, output


@set_module("troupe.contrib.rnn")
class GRUBlockCellV2(GRUBlockCell):
    """A gated unit of one op, with the variables of `GRUCell`."""

    _NAMES = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
