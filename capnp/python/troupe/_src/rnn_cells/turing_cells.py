"""A cell with a memory of rows that it reads and writes (Graves et al., 2014; Collier, 2018)."""

from __future__ import annotations

import math
from typing import Any, Callable, List, NamedTuple, Optional

from troupe._src.control_flow.conditional import cond
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, clip_ops, creation_ops, gen_ops, math_ops, rearrange_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.rnn.cell import LayerRNNCell, assert_like_rnncell
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.initializers import Constant, GlorotUniform, TruncatedNormal, Zeros


@set_module("troupe.contrib.rnn")
class NTMControllerState(NamedTuple):
    """The state of an `NTMCell`.

    Args:
        controller_state: That of the cell that controls it.
        read_vector_list: What each head has read.
        w_list: The weights of rows of each head.
        M: The memory, [batch, rows, size].
        time: The number of steps.
    """

    controller_state: Any
    read_vector_list: Any
    w_list: Any
    M: Any
    time: Any


@set_module("troupe.contrib.rnn")
class NTMCell(LayerRNNCell):
    """A Neural Turing Machine: a cell that controls heads over a memory of rows."""

    def __init__(
        self, controller: Any, memory_size: int, memory_vector_dim: int, read_head_num: int,
        write_head_num: int, shift_range: int = 1, output_dim: Optional[int] = None,
        clip_value: float = 20, dtype: Optional[DTypeLike] = dtypes.float32,
        name: Optional[str] = None,
    ) -> None:  # fmt: skip
        """A cell around another one.

        Args:
            controller: The cell that controls the heads.
            memory_size: The number of rows.
            memory_vector_dim: The size of a row.
            read_head_num: The number of heads that read.
            write_head_num: The number of heads that write.
            shift_range: How many rows to each side a head can move in a step.
            output_dim: The size of the output, by default that of the input.
            clip_value: The largest absolute value of what controls a head, and of the output.
            dtype: The dtype of the variables.
            name: The name of the layer, by default the snake case of the class.

        Raises:
            TypeError: The controller lacks what a cell has.
        """
        super().__init__(dtype, name=name)
        assert_like_rnncell("NTM RNN controller cell", controller)
        self.controller, self.memory_size = controller, memory_size
        self.memory_vector_dim, self.shift_range = memory_vector_dim, shift_range
        self.read_head_num, self.write_head_num = read_head_num, write_head_num
        self.output_dim, self.clip_value = output_dim, clip_value
        self.num_parameters_per_head = memory_vector_dim + 2 * shift_range + 4
        self.num_heads = read_head_num + write_head_num
        self.total_parameter_num = (
            self.num_parameters_per_head * self.num_heads + memory_vector_dim * 2 * write_head_num
        )
        self._of_heads: Any = None
        self._of_output: Any = None
        self._first_reads: List[Any] = []
        self._first_weights: List[Any] = []
        self._memory: Any = None

    @property
    def state_size(self) -> Any:
        """The sizes of the parts of a state."""
        return NTMControllerState(
            controller_state=self.controller.state_size,
            read_vector_list=[self.memory_vector_dim] * self.read_head_num,
            w_list=[self.memory_size] * self.num_heads,
            M=TensorShape([self.memory_size * self.memory_vector_dim]),
            time=TensorShape([]),
        )

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self.output_dim

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables of heads, output and memory.

        Args:
            inputs_shape: [batch, size], of a known size where no size of the output was given.
        """
        if self.output_dim is None:
            self.output_dim = self._depth_of(inputs_shape)
        depth, row = self.controller.output_size, self.memory_vector_dim
        self._of_heads = self._weights_of("parameters", depth, self.total_parameter_num)
        seen = depth + row * self.read_head_num
        self._of_output = self._weights_of("output", seen, self.output_dim)
        self._first_reads = [
            self.add_weight(f"initial_read_vector_{index}", [1, row], initializer=GlorotUniform())
            for index in range(self.read_head_num)
        ]
        self._first_weights = [
            self.add_weight(
                f"initial_address_weights_{index}", [1, self.memory_size],
                initializer=GlorotUniform(),
            )
            for index in range(self.num_heads)
        ]  # fmt: skip
        self._memory = self.add_weight(
            "memory", [self.memory_size, row], initializer=Constant(1e-6)
        )
        self.built = True

    def _weights_of(self, name: str, depth: int, size: int) -> Any:
        initial = TruncatedNormal(stddev=1.0 / math.sqrt(depth))
        return (
            self.add_weight(f"{name}_kernel", [depth, size], initializer=initial),
            self.add_weight(f"{name}_bias", [size], initializer=Zeros()),
        )

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An NTMControllerState.

        Returns:
            The output, [batch, output_dim], and the next state.
        """
        batch = inputs.shape[0].value or array_ops.shape(inputs)[0]
        begins = gen_ops.equal(convert_to_tensor(state.time), 0)

        def before(first: Callable[[Any], Any], variables: Any, later: Any) -> List[Any]:
            """What the state has, or at first each variable for all of the batch."""

            def chosen(each: Any, value: Any) -> Any:
                return cond(
                    begins,
                    lambda: _repeated(first(each), batch),
                    lambda: gen_ops.identity(value),
                )

            return [chosen(each, value) for each, value in zip(variables, later)]

        reads = before(gen_ops.tanh, self._first_reads, state.read_vector_list)
        weights = before(nn_ops.softmax, self._first_weights, state.w_list)
        (memory,) = before(
            lambda each: array_ops.expand_dims(each, 0), [self._memory], [state.M]
        )
        output, after = self.controller(
            array_ops.concat([inputs, *reads], 1), state.controller_state
        )
        control = self._clipped(_product(output, self._of_heads))
        count = self.num_parameters_per_head * self.num_heads
        heads = array_ops.split(control[:, :count], self.num_heads, axis=1)
        weights = [
            self._address(head, memory, last) for head, last in zip(heads, weights)
        ]
        reads = [
            math_ops.reduce_sum(array_ops.expand_dims(each, 2) * memory, 1)
            for each in weights[: self.read_head_num]
        ]
        written = self._written(memory, weights[self.read_head_num :], control[:, count:])
        result = self._clipped(_product(array_ops.concat([output, *reads], 1), self._of_output))
        return result, NTMControllerState(after, reads, weights, written, state.time + 1)

    def _clipped(self, tensor: Any) -> Any:
        return clip_ops.clip_by_value(tensor, -self.clip_value, self.clip_value)

    def _written(self, memory: Any, weights: List[Any], control: Any) -> Any:
        """The memory after all heads have erased and added what the controller says."""
        if not weights:
            return memory
        parts = array_ops.split(control, 2 * self.write_head_num, axis=1)
        for index, each in enumerate(weights):
            rows = array_ops.expand_dims(each, 2)
            erased = array_ops.expand_dims(gen_ops.sigmoid(parts[2 * index]), 1)
            added = array_ops.expand_dims(gen_ops.tanh(parts[2 * index + 1]), 1)
            kept = 1 - math_ops.matmul(rows, erased)
            memory = memory * kept + math_ops.matmul(rows, added)
        return memory

    def _address(self, head: Any, memory: Any, before: Any) -> Any:
        """The weights of rows: by likeness, then moved from where the head was, then sharpened."""
        size, reach = self.memory_vector_dim, self.shift_range
        key = array_ops.expand_dims(gen_ops.tanh(head[:, :size]), 2)
        strength = gen_ops.softplus(head[:, size : size + 1])
        share = gen_ops.sigmoid(head[:, size + 1 : size + 2])
        shift = nn_ops.softmax(head[:, size + 2 : size + 3 + 2 * reach])
        sharpness = gen_ops.softplus(head[:, -1:]) + 1
        lengths = _length(memory, 2) * _length(key, 1)
        alike = array_ops.squeeze(math_ops.matmul(memory, key) / (lengths + 1e-8), [2])
        raised = gen_ops.exp(strength * alike)
        content = raised / math_ops.reduce_sum(raised, 1, keepdims=True)
        moved = self._moved(share * content + (1 - share) * before, shift)
        sharpened = gen_ops.pow(moved, sharpness)
        return sharpened / math_ops.reduce_sum(sharpened, 1, keepdims=True)

    def _moved(self, weights: Any, shift: Any) -> Any:
        """The circular convolution of the weights with the shares of shifts."""
        rows, reach = self.memory_size, self.shift_range
        batch = shift.shape[0].value or array_ops.shape(shift)[0]
        between = creation_ops.zeros([batch, rows - (2 * reach + 1)], shift.dtype)
        whole = array_ops.concat([shift[:, : reach + 1], between, shift[:, -reach:]], 1)
        backwards = rearrange_ops.reverse(whole, [1])
        twice = array_ops.concat([backwards, backwards], 1)
        matrix = array_ops.stack(
            [twice[:, rows - row - 1 : 2 * rows - row - 1] for row in range(rows)], 1
        )
        return math_ops.reduce_sum(array_ops.expand_dims(weights, 1) * matrix, 2)

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state before the first step, in which variables take the places of its zeros.

        Args:
            batch_size: A number or a scalar.
            dtype: The dtype of the state.

        Returns:
            An NTMControllerState.
        """
        rows, size = self.memory_size, self.memory_vector_dim
        return NTMControllerState(
            controller_state=self.controller.zero_state(batch_size, dtype),
            read_vector_list=[
                creation_ops.zeros([batch_size, size], dtype) for _ in range(self.read_head_num)
            ],
            w_list=[creation_ops.zeros([batch_size, rows], dtype) for _ in range(self.num_heads)],
            M=creation_ops.zeros([batch_size, rows, size], dtype),
            time=0,
        )


def _repeated(tensor: Any, count: Any) -> Any:
    """A tensor of one along the first axis, so many times."""
    rest = [1] * (tensor.shape.rank - 1)
    return gen_ops.tile(tensor, array_ops.stack([count, *rest]))


def _product(tensor: Any, weights: Any) -> Any:
    kernel, bias = weights
    return nn_ops.bias_add(math_ops.matmul(tensor, kernel), bias)


def _length(tensor: Any, axis: int) -> Any:
    return gen_ops.sqrt(math_ops.reduce_sum(gen_ops.square(tensor), axis, keepdims=True))
