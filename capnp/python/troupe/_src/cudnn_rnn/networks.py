"""Networks of several layers and directions over whole sequences, with cuDNN's weights."""

from __future__ import annotations

from typing import Any, ClassVar, List, Optional, Sequence, Tuple

from troupe._src.cudnn_rnn.compatible_cells import CudnnCompatibleGRUCell
from troupe._src.cudnn_rnn.gate_initializers import GateBiases, GateKernels
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.base import Layer
from troupe._src.layers.input_spec import InputSpec
from troupe._src.nn.nn_ops import dropout as drop
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros
from troupe._src.rnn.basic_cells import BasicRNNCell
from troupe._src.rnn.fused_cells import FusedRNNCellAdaptor, TimeReversedFusedRNN
from troupe._src.rnn.fused_lstm import LSTMBlockFusedCell
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, as_shape
from troupe._src.variables.initializers import GlorotUniform, Zeros
from troupe._src.variables.variable_store import variable_scope


class CudnnNetwork(Layer):
    """Layers of cells, each over the outputs of the one before it, in one or both directions.

    The weights are variables with the names and shapes of those of cells that are compatible with
    cuDNN, which TensorFlow writes to checkpoints in the place of cuDNN's buffer. So a checkpoint
    of one can be read by the other, and by the cells.
    """

    _rnn_mode: ClassVar[str]
    _gates: ClassVar[int]

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = "linear_input",
        direction: str = "unidirectional",
        dropout: float = 0.0,
        seed: Optional[int] = None,
        dtype: DTypeLike = dtypes.float32,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Optional[str] = None,
    ) -> None:
        """A network.

        Args:
            num_layers: The number of layers.
            num_units: The size of the state of a cell.
            input_mode: "linear_input": the first layer has a matrix for its inputs, as the others.
                "auto_select" means that, where their size is not `num_units`.
            direction: "unidirectional", or "bidirectional": each layer has cells for both, and
                their outputs one after the other.
            dropout: The rate at which outputs that go to a next layer become 0 in training.
            seed: Of what is drawn.
            dtype: float16, float32 or float64.
            kernel_initializer: That of the matrices of the gates, [num_units, size], by default
                Glorot's with a uniform distribution.
            bias_initializer: That of the biases, of which a gate has two, by default zeros.
            name: The name of the scope.

        Raises:
            ValueError: There is no such direction, input mode or dtype.
        """
        super().__init__(dtype=dtype, name=name)
        if direction not in ("unidirectional", "bidirectional"):
            raise ValueError(
                f"Invalid direction: {direction}, expecting unidirectional or bidirectional"
            )
        if input_mode not in ("linear_input", "skip_input", "auto_select"):
            raise ValueError(
                f"Invalid input_mode: {input_mode}, expecting linear_input, skip_input or "
                "auto_select"
            )
        if as_dtype(dtype) not in (dtypes.float16, dtypes.float32, dtypes.float64):
            raise ValueError(f"Only support float16, float32, float64, provided {dtype!r}")
        self._num_layers, self._num_units = num_layers, num_units
        self._input_mode, self._direction = input_mode, direction
        self._dropout, self._seed = dropout, seed
        self._kernel_initializer = kernel_initializer or GlorotUniform(seed=seed)
        self._bias_initializer = bias_initializer or Zeros()
        self._input_size: Optional[int] = None
        self._cells: List[Any] = []  # those of a layer one after the other

    @property
    def num_layers(self) -> int:
        """The number of layers."""
        return self._num_layers

    @property
    def num_units(self) -> int:
        """The size of the state of a cell."""
        return self._num_units

    @property
    def input_mode(self) -> str:
        """How the first layer takes its inputs."""
        return self._input_mode

    @property
    def input_size(self) -> int:
        """The size of the inputs, known when it has been built."""
        if self._input_size is None:
            raise ValueError("'input_size' is unknown since layer has not been built.")
        return self._input_size

    @property
    def rnn_mode(self) -> str:
        """ "lstm", "gru", "rnn_tanh" or "rnn_relu"."""
        return self._rnn_mode

    @property
    def direction(self) -> str:
        """ "unidirectional" or "bidirectional"."""
        return self._direction

    @property
    def num_dirs(self) -> int:
        """The number of directions."""
        return 1 if self._direction == "unidirectional" else 2

    @property
    def saveable(self) -> None:
        """None: its variables are saved as they are."""
        return None

    @property
    def canonical_weight_shapes(self) -> List[Tuple[int, int]]:
        """The shapes of the matrices as cuDNN has them: of a cell, those for inputs come first."""
        units = self._num_units
        return [
            (units, size)
            for layer in range(self._num_layers)
            for _ in range(self.num_dirs)
            for size in [self._depth(layer)] * self._gates + [units] * self._gates
        ]

    @property
    def canonical_bias_shapes(self) -> List[List[int]]:
        """The shapes of the biases as cuDNN has them."""
        return [[self._num_units]] * (self._num_layers * self.num_dirs * 2 * self._gates)

    def state_shape(self, batch_size: int) -> Any:
        """The shapes of the state.

        Args:
            batch_size: The number of sequences.

        Returns:
            A tuple of lists of sizes, one for each tensor of the state.
        """
        return ([self._num_layers * self.num_dirs, batch_size, self._num_units],)

    def _depth(self, layer: int) -> int:
        return self.input_size if layer == 0 else self.num_dirs * self._num_units

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables.

        Args:
            input_shape: [time, batch, size], of a known size.

        Raises:
            ValueError: It has not three axes, or the size is not known.
            NotImplementedError: The first layer is to have no matrix for its inputs.
        """
        if self.built:
            return
        shape = as_shape(input_shape)
        if shape.rank != 3:
            raise ValueError(f"Expecting input_shape with 3 dims, got {shape.rank}")
        size = shape[2].value
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to `CudnnRNN` should be defined. Found `None`."
            )
        is_same = self._input_mode == "auto_select" and size == self._num_units
        if self._input_mode == "skip_input" or is_same:
            raise NotImplementedError(
                f"inputs that skip the first matrix (input_mode {self._input_mode!r} with inputs "
                f"of size {size}): use input_mode='linear_input'"
            )
        self._input_size = size
        self.input_spec = InputSpec(ndim=3, axes={-1: size})
        for layer in range(self._num_layers):
            for way in ("fw", "bw")[: self.num_dirs]:
                self._cells.append(self._build_cell(layer, way))
        self.built = True

    def _build_cell(self, layer: int, way: str) -> Any:
        scope = f"rnn/multi_rnn_cell/cell_{layer}"
        if self.num_dirs == 2:
            scope = f"stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{way}"
        cell, depth = self._make_cell(), self._depth(layer)
        cell._dtype = self._dtype

        def weight(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
            kwargs["initializer"] = self._initializer_of(name, depth)
            variable = getter(name, *args, **kwargs)
            self._keep(variable)
            return variable

        with variable_scope(scope, custom_getter=weight):
            cell.build([None] * (cell.input_spec.ndim - 1) + [depth])
        return cell

    def _initializer_of(self, name: str, depth: int) -> Any:
        if name.endswith("kernel"):
            return GateKernels(self._kernel_initializer, depth, self._num_units)
        # Both biases of a unit's candidate are there; those of gates are one.
        is_one = "/candidate/" not in name
        return GateBiases(self._bias_initializer, self._num_units) if is_one else (
            self._bias_initializer
        )

    def _make_cell(self) -> Any:
        """A cell with the weights of one layer in one direction, without variables yet."""
        raise NotImplementedError

    def _over(self, cell: Any) -> Any:
        """A function of whole sequences that applies the cell at each time."""
        return FusedRNNCellAdaptor(cell, use_dynamic_rnn=True)

    def call(
        self,
        inputs: TensorLike,
        initial_state: Any = None,
        sequence_lengths: Optional[TensorLike] = None,
        time_major: bool = True,
        training: bool = True,
    ) -> Any:
        """Computes all times of all layers.

        Args:
            inputs: Floats, [time, batch, size], or [batch, time, size].
            initial_state: A tuple of the tensors of the state, each [num_layers * num_dirs, batch,
                num_units] or, where the batch comes first, [batch, num_layers * num_dirs,
                num_units]; a memory cell's are h and c. By default zeros.
            sequence_lengths: The lengths of the sequences, behind which outputs are zeros and
                states stay; by default all are as long as the inputs.
            time_major: Whether time is the first axis, or the batch.
            training: Whether outputs are dropped between layers.

        Returns:
            The outputs of the last layer, [time, batch, num_dirs * num_units] or with the first
            axes the other way round, and the last state, as `initial_state`.

        Raises:
            TypeError: `initial_state` is no tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {initial_state}, expecting tuple.")
        sequences = convert_to_tensor(inputs, self.dtype)
        sequences = sequences if time_major else _swapped(sequences)
        states = self._states_before(sequences, initial_state, time_major)
        after: List[Any] = []
        for layer in range(self._num_layers):
            if layer > 0 and training and self._dropout:
                sequences = drop(sequences, rate=self._dropout, seed=self._seed)
            outputs: List[Any] = []
            for _ in range(self.num_dirs):
                network = self._over(self._cells[len(after)])
                output, state = (network if not outputs else TimeReversedFusedRNN(network))(
                    sequences, initial_state=states[len(after)], sequence_length=sequence_lengths
                )
                outputs.append(output)
                after.append(state)
            sequences = array_ops.concat(outputs, 2)
        state = tuple(
            array_ops.stack(parts, axis=0 if time_major else 1)
            for parts in zip(*map(self._parts_of, after))
        )
        return (sequences if time_major else _swapped(sequences)), state

    def _states_before(self, sequences: Any, given: Any, time_major: bool) -> List[Any]:
        """The state of each cell."""
        if given is None:
            batch = array_ops.shape(sequences)[1]
            shape = array_ops.stack([len(self._cells), batch, self._num_units])
            parts = [zeros(shape, self.dtype)] * len(self.state_shape(1))
        else:
            parts = [convert_to_tensor(part, self.dtype) for part in given]
            parts = parts if time_major else [_swapped(part) for part in parts]
        of_cells = [array_ops.unstack(part, len(self._cells)) for part in parts]
        return [self._state_of(each) for each in zip(*of_cells)]

    def _state_of(self, parts: Sequence[Any]) -> Any:
        """What a cell has as its state, of the parts that cuDNN has."""
        return parts[0]

    def _parts_of(self, state: Any) -> Sequence[Any]:
        return [state]


def _swapped(tensor: Any) -> Any:
    return array_ops.transpose(tensor, [1, 0, 2])


@set_module("troupe.contrib.cudnn_rnn")
class CudnnLSTM(CudnnNetwork):
    """A network of memory cells, each layer in one op for all times."""

    _rnn_mode, _gates = "lstm", 4

    def state_shape(self, batch_size: int) -> Any:
        """The shapes of h and c.

        Args:
            batch_size: The number of sequences.

        Returns:
            Two equal lists of sizes.
        """
        return super().state_shape(batch_size) * 2

    def _make_cell(self) -> Any:
        return LSTMBlockFusedCell(
            self._num_units, forget_bias=0.0, name="cudnn_compatible_lstm_cell"
        )

    def _over(self, cell: Any) -> Any:
        return cell

    def _state_of(self, parts: Sequence[Any]) -> Any:
        output, memory = parts
        return LSTMStateTuple(memory, output)

    def _parts_of(self, state: Any) -> Sequence[Any]:
        return [state.h, state.c]


@set_module("troupe.contrib.cudnn_rnn")
class CudnnGRU(CudnnNetwork):
    """A network of gated units, those of `CudnnCompatibleGRUCell`."""

    _rnn_mode, _gates = "gru", 3

    def _make_cell(self) -> Any:
        return CudnnCompatibleGRUCell(self._num_units)


@set_module("troupe.contrib.cudnn_rnn")
class CudnnRNNTanh(CudnnNetwork):
    """A network of basic cells with tanh."""

    _rnn_mode, _gates = "rnn_tanh", 1

    def _make_cell(self) -> Any:
        return BasicRNNCell(self._num_units, gen_ops.tanh)


@set_module("troupe.contrib.cudnn_rnn")
class CudnnRNNRelu(CudnnNetwork):
    """A network of basic cells with max(x, 0)."""

    _rnn_mode, _gates = "rnn_relu", 1

    def _make_cell(self) -> Any:
        return BasicRNNCell(self._num_units, gen_ops.relu)
