"""Cells of long short-term memory."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from troupe._src.layer_base.arguments import resolved
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, clip_ops, gen_ops, math_ops
from troupe._src.platform import logging
from troupe._src.rnn.cell import LayerRNNCell, activation_of, check_tensors
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.partitioners import fixed_size_partitioner


class _StateTuple(NamedTuple):
    """The fields of LSTMStateTuple."""

    c: Any
    h: Any


@set_module("troupe.nn.rnn_cell")
class LSTMStateTuple(_StateTuple):
    """The state of such a cell: its memory `c`, and its output `h`."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The dtype of both; TypeError where they differ."""
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


class _MemoryCell(LayerRNNCell):
    """A cell of so many units with a memory, and with an output of that size.

    Args:
        num_units: The size of the memory.
        output_size: The size of the output.
        forget_bias: Added to what goes into the forget gate.
        state_is_tuple: Whether a state is an LSTMStateTuple, or one concatenated tensor.
        activation: The function of new memory and output, by default tanh.
        reuse: Whether the variables are those that exist in the scope.
        name: The name of the layer, by default the snake case of the class.
        dtype: The dtype of the variables, by default that of the first input.
        **kwargs: What all layers take.
    """

    def __init__(
        self, num_units: int, output_size: int, forget_bias: float, state_is_tuple: bool,
        activation: Any, reuse: Any, name: Optional[str], dtype: Optional[DTypeLike], **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(dtype, _reuse=reuse, name=name, **kwargs)
        if not state_is_tuple:
            logging.warning(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use "
                "state_is_tuple=True.",
                self,
            )
        self._num_units, self._output_size = num_units, output_size
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation = activation_of(activation)
        self._kernel: Any = None
        self._bias: Any = None

    @property
    def state_size(self) -> Any:
        """The sizes of the memory and of the output, or their sum for a concatenated state."""
        sizes = (self._num_units, self._output_size)
        return LSTMStateTuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._output_size

    def _parts(self, state: Any) -> Any:
        """The memory, and the output before."""
        if self._state_is_tuple:
            memory, output = state
            return memory, output
        return array_ops.split(state, [self._num_units, self._output_size], axis=1)

    def _used_kernel(self) -> Any:
        """What inputs are multiplied by, which a class of cells may make of the kernel."""
        return self._kernel

    def _gates(self, inputs: Any, output: Any) -> Any:
        """What goes into the input gate, the new memory, the forget gate and the output gate."""
        product = math_ops.matmul(array_ops.concat([inputs, output], 1), self._used_kernel())
        return array_ops.split(nn_ops.bias_add(product, self._bias), 4, axis=1)

    def _state(self, memory: Any, output: Any) -> Any:
        if self._state_is_tuple:
            return LSTMStateTuple(memory, output)
        return array_ops.concat([memory, output], 1)


@set_module("troupe.nn.rnn_cell")
class BasicLSTMCell(_MemoryCell):
    """A cell without clipping, projection and peepholes (Zaremba et al., 2014)."""

    _config_names = ("num_units", "forget_bias", "state_is_tuple", "activation", "reuse")

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Optional[str] = None,
        dtype: Optional[DTypeLike] = None,
        **kwargs: Any,
    ) -> None:
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory and of the output.
            forget_bias: Added to what goes into the forget gate.
            state_is_tuple: Whether a state is an LSTMStateTuple, or one concatenated tensor.
            activation: The function of new memory and output, by default tanh.
            reuse: Whether the variables are those that exist in the scope.
            name: The name of the layer, by default the snake case of the class.
            dtype: The dtype of the variables, by default that of the first input.
            kwargs: What all layers take.
        """
        super().__init__(
            num_units, num_units, forget_bias, state_is_tuple, activation, reuse, name, dtype,
            **kwargs,
        )  # fmt: skip

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel and the bias.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        depth, units = self._depth_of(inputs_shape), self._num_units
        self._kernel = self.add_weight("kernel", [depth + units, 4 * units])
        self._bias = self.add_weight("bias", [4 * units], initializer=Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats, or their concatenation.

        Returns:
            The output, [batch, num_units], and the next state, of the kind of `state`.
        """
        check_tensors([inputs, state])
        memory, before = self._parts(state)
        enter, new, forget, leave = self._gates(inputs, before)
        kept = memory * gen_ops.sigmoid(forget + self._forget_bias)
        memory = kept + gen_ops.sigmoid(enter) * self._activation(new)
        output = self._activation(memory) * gen_ops.sigmoid(leave)
        return output, self._state(memory, output)


@set_module("troupe.nn.rnn_cell")
class LSTMCell(_MemoryCell):
    """A cell that may have peepholes, a clipped memory, and a projection (Sak et al., 2014)."""

    _config_names = (
        "num_units", "use_peepholes", "cell_clip", "initializer", "num_proj", "proj_clip",
        "num_unit_shards", "num_proj_shards", "forget_bias", "state_is_tuple", "activation",
        "reuse",
    )  # fmt: skip

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Optional[float] = None,
        initializer: Any = None,
        num_proj: Optional[int] = None,
        proj_clip: Optional[float] = None,
        num_unit_shards: Optional[int] = None,
        num_proj_shards: Optional[int] = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Optional[str] = None,
        dtype: Optional[DTypeLike] = None,
        **kwargs: Any,
    ) -> None:
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory.
            use_peepholes: Whether the memory goes into the gates, each unit into its own.
            cell_clip: The largest absolute value in the memory.
            initializer: That of the matrices and the peepholes.
            num_proj: The size of outputs, to which a matrix projects them.
            proj_clip: The largest absolute value in a projected output.
            num_unit_shards: The number of parts of the kernel; a partitioner is the better way.
            num_proj_shards: The number of parts of the projection.
            forget_bias: Added to what goes into the forget gate.
            state_is_tuple: Whether a state is an LSTMStateTuple, or one concatenated tensor.
            activation: The function of new memory and output, by default tanh.
            reuse: Whether the variables are those that exist in the scope.
            name: The name of the layer, by default the snake case of the class.
            dtype: The dtype of the variables, by default that of the first input.
            kwargs: What all layers take.
        """
        super().__init__(
            num_units, num_proj or num_units, forget_bias, state_is_tuple, activation, reuse, name,
            dtype, **kwargs,
        )  # fmt: skip
        if num_unit_shards is not None or num_proj_shards is not None:
            logging.warning(
                "%s: The num_unit_shards and proj_unit_shards parameters are deprecated and will "
                "be removed in Jan 2017.  Use a variable scope with a partitioner instead.",
                self,
            )
        self._use_peepholes, self._cell_clip = use_peepholes, cell_clip
        self._initializer = resolved("initializer", initializer)
        self._num_proj, self._proj_clip = num_proj, proj_clip
        self._num_unit_shards, self._num_proj_shards = num_unit_shards, num_proj_shards
        self._w_f_diag: Any = None
        self._w_i_diag: Any = None
        self._w_o_diag: Any = None
        self._proj_kernel: Any = None

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, the bias, and those of peepholes and the projection.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        depth, units = self._depth_of(inputs_shape), self._num_units
        self._kernel = self._matrix(
            "kernel", [depth + self._output_size, 4 * units], self._num_unit_shards
        )
        self._bias = self.add_weight("bias", [4 * units], initializer=Zeros())
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = (
                self.add_weight(f"w_{gate}_diag", [units], initializer=self._initializer)
                for gate in "fio"
            )
        if self._num_proj is not None:
            self._proj_kernel = self._matrix(
                "projection/kernel", [units, self._num_proj], self._num_proj_shards
            )
        self.built = True

    def _matrix(self, name: str, shape: Any, shards: Optional[int]) -> Any:
        partitioner = None if shards is None else fixed_size_partitioner(shards)
        return self.add_weight(name, shape, initializer=self._initializer, partitioner=partitioner)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats, or their concatenation.

        Returns:
            The output, [batch, num_proj or num_units], and the next state, of the kind of `state`.
        """
        check_tensors([inputs, state])
        memory, before = self._parts(state)
        enter, new, forget, leave = self._gates(inputs, before)
        forget = forget + self._forget_bias
        if self._use_peepholes:
            forget, enter = forget + self._w_f_diag * memory, enter + self._w_i_diag * memory
        kept = gen_ops.sigmoid(forget) * memory
        memory = _clipped(kept + gen_ops.sigmoid(enter) * self._activation(new), self._cell_clip)
        if self._use_peepholes:
            leave = leave + self._w_o_diag * memory
        output = gen_ops.sigmoid(leave) * self._activation(memory)
        if self._num_proj is not None:
            output = _clipped(math_ops.matmul(output, self._proj_kernel), self._proj_clip)
        return output, self._state(memory, output)


def _clipped(tensor: Any, bound: Optional[float]) -> Any:
    return tensor if bound is None else clip_ops.clip_by_value(tensor, -bound, bound)
