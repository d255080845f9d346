"""Memory cells that compute all times of sequences with one op."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.base import Layer
from troupe._src.layers.input_spec import InputSpec
from troupe._src.ops import array_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros
from troupe._src.ops.rearrange_ops import gather_nd, sequence_mask
from troupe._src.rnn.block_cells import MemoryWeights
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import as_shape


@set_module("troupe.contrib.rnn")
class LSTMBlockWrapper(Layer):
    """A network of memory cells over sequences of several lengths, given one of equal lengths.

    A class of them has `num_units`, and computes all times in `_call_cell(inputs,
    initial_cell_state, initial_output, dtype, sequence_length)`, which gives memories and outputs,
    [time, batch, num_units].
    """

    @property
    def num_units(self) -> int:
        """The size of the memory and of the output."""
        raise NotImplementedError("Abstract method")

    def _call_cell(
        self,
        inputs: Any,
        initial_cell_state: Any,
        initial_output: Any,
        dtype: Any,
        sequence_length: Any,
    ) -> Any:
        raise NotImplementedError("Abstract method")

    def call(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Optional[DTypeLike] = None,
        sequence_length: Optional[TensorLike] = None,
    ) -> Any:
        """Computes all times.

        Args:
            inputs: Floats, [time, batch, size], or a list of a tensor for each time.
            initial_state: A pair of the memory and the output before, by default zeros.
            dtype: The dtype of these zeros.
            sequence_length: The length of each sequence. After it, outputs are zeros and the state
                stays. By default all are as long as the inputs.

        Returns:
            The outputs, [time, batch, num_units] or a list like the inputs, and the last state, an
            LSTMStateTuple.

        Raises:
            ValueError: Neither a state nor a dtype is given, or the size of inputs is not known.
        """
        is_list = isinstance(inputs, list)
        tensor = array_ops.stack(inputs) if is_list else convert_to_tensor(inputs)
        shape = as_shape(tensor.shape).with_rank(3)
        if not shape[2].value:
            raise ValueError(f"Expecting inputs_shape[2] to be set: {shape}")
        time, batch = _size(tensor, 0), _size(tensor, 1)
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            nothing = zeros(array_ops.stack([batch, self.num_units]), dtype=dtype)
            initial_state = nothing, nothing
        elif len(initial_state) != 2:
            raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
        memory, output = (convert_to_tensor(each) for each in initial_state)
        lengths = None if sequence_length is None else convert_to_tensor(sequence_length)
        memories, outputs = self._call_cell(tensor, memory, output, dtype or memory.dtype, lengths)
        if lengths is None:
            state = memories[-1], outputs[-1]
        else:
            mask = sequence_mask(lengths, time, dtype=outputs.dtype)
            outputs = outputs * array_ops.expand_dims(array_ops.transpose(mask, [1, 0]), -1)
            state = tuple(
                _at_lengths(before, after, lengths, batch)
                for before, after in ((memory, memories), (output, outputs))
            )
        if is_list:
            outputs = array_ops.unstack(outputs)
        return outputs, LSTMStateTuple(*state)


def _size(tensor: Any, axis: int) -> Any:
    known = tensor.shape[axis].value
    return array_ops.shape(tensor)[axis] if known is None else known


def _at_lengths(before: Any, after: Any, lengths: Any, batch: Any) -> Any:
    """Of each sequence what was at its last time; of an empty one, what was before."""
    times = array_ops.concat([array_ops.expand_dims(before, 0), after], 0)
    rows = math_ops.cast(math_ops.range(batch), lengths.dtype)
    return gather_nd(times, array_ops.stack([lengths, rows], axis=1))


@set_module("troupe.contrib.rnn")
class LSTMBlockFusedCell(LSTMBlockWrapper):
    """A network of memory cells as `LSTMCell`, of one op and with the same variables."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Optional[float] = None,
        use_peephole: bool = False,
        reuse: Any = None,
        dtype: Optional[DTypeLike] = None,
        name: Optional[str] = "lstm_fused_cell",
    ) -> None:
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory and of the output.
            forget_bias: Added to what goes into the forget gate.
            cell_clip: The largest absolute value in the memory; derivatives pass through it.
            use_peephole: Whether the memory goes into the gates, each unit into its own.
            reuse: Whether the variables are those that exist in the scope.
            dtype: The dtype of the variables, by default that of the inputs.
            name: The name of the layer.
        """
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units, self._use_peephole = num_units, use_peephole
        self._forget_bias = forget_bias
        self._cell_clip = -1.0 if cell_clip is None else cell_clip
        self._memory: Any = None
        self.input_spec = InputSpec(ndim=3)

    @property
    def num_units(self) -> int:
        """The size of the memory and of the output."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the kernel, the bias, and the peepholes.

        Args:
            input_shape: [time, batch, size], of a known size.
        """
        depth = as_shape(input_shape)[2].value
        if depth is None:
            raise ValueError(f"Expecting inputs_shape[2] to be set: {input_shape}")
        self._memory = MemoryWeights(self, depth, self._num_units, self._use_peephole)
        self.built = True

    def _call_cell(
        self,
        inputs: Any,
        initial_cell_state: Any = None,
        initial_output: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
    ) -> Any:
        times = array_ops.shape(inputs)[0] if sequence_length is None else sequence_length
        _, memories, _, _, _, _, outputs = raw_ops.BlockLSTM(
            seq_len_max=math_ops.cast(math_ops.reduce_max(times), dtypes.int64),
            x=inputs,
            cs_prev=initial_cell_state,
            h_prev=initial_output,
            **self._memory.arguments(),
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return memories, outputs
