"""Memory cells with peepholes and projections whose gates, or weights, are normalized."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.graph import get_default_graph
from troupe._src.nn import nn_ops
from troupe._src.nn.norm_ops import l2_normalize
from troupe._src.ops import array_ops, clip_ops, gen_ops, math_ops
from troupe._src.rnn.cell import RNNCell
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.rnn_cells.linear import depth_of, layer_normalized, linear
from troupe._src.set_module import set_module
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import get_variable_scope, variable_scope
from troupe._src.variables.variable_scope import get_variable


class _ProjectedCell(RNNCell):
    """A memory cell with peepholes and a projection.

    Args:
        num_units: The size of the memory.
        use_peepholes: Whether the memory goes into the gates, each unit into its own.
        cell_clip: The largest absolute value in the memory.
        initializer: That of the variables, by default that of the scope.
        num_proj: The size of outputs, to which a matrix projects them.
        proj_clip: The largest absolute value in a projected output.
        forget_bias: Added to what goes into the forget gate.
        activation: The function of new memory and output, by default tanh.
        reuse: Whether the variables are those that exist in the scope.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool, cell_clip: Optional[float], initializer: Any,
        num_proj: Optional[int], proj_clip: Optional[float], forget_bias: float,
        activation: Any, reuse: Any,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes = num_units, use_peepholes
        self._cell_clip, self._proj_clip = cell_clip, proj_clip
        self._initializer, self._num_proj = initializer, num_proj
        self._forget_bias, self._activation = forget_bias, activation or gen_ops.tanh

    @property
    def state_size(self) -> Any:
        """The sizes of the memory and of the output."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._num_proj or self._num_units

    def _product(self, tensors: Any, size: int, has_bias: bool) -> Any:
        raise NotImplementedError

    def _norm(self, tensor: Any, scope: str) -> Any:
        del scope
        return tensor

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats.

        Returns:
            The output, [batch, num_proj or num_units], and the next state.

        Raises:
            ValueError: The size of the inputs is not known.
        """
        memory, before = state
        gates = self._product([inputs, before], 4 * self._num_units, True)
        enter, new, forget, leave = array_ops.split(gates, 4, axis=1)
        enter, new = self._norm(enter, "input"), self._norm(new, "transform")
        forget, leave = self._norm(forget, "forget"), self._norm(leave, "output")
        forget, leave_diag = forget + self._forget_bias, None
        if self._use_peepholes:
            units, dtype = [self._num_units], inputs.dtype
            forget = forget + get_variable("w_f_diag", units, dtype=dtype) * memory
            enter = enter + get_variable("w_i_diag", units, dtype=dtype) * memory
            leave_diag = get_variable("w_o_diag", units, dtype=dtype)
        added = gen_ops.sigmoid(enter) * self._activation(new)
        memory = self._norm(gen_ops.sigmoid(forget) * memory + added, "state")
        if self._cell_clip is not None:
            memory = clip_ops.clip_by_value(memory, -self._cell_clip, self._cell_clip)
        if leave_diag is not None:
            leave = leave + leave_diag * memory
        output = gen_ops.sigmoid(leave) * self._activation(memory)
        if self._num_proj is not None:
            with variable_scope("projection"):
                output = self._product([output], self._num_proj, False)
            if self._proj_clip is not None:
                output = clip_ops.clip_by_value(output, -self._proj_clip, self._proj_clip)
        return output, LSTMStateTuple(memory, output)


@set_module("troupe.contrib.rnn")
class LayerNormLSTMCell(_ProjectedCell):
    """A memory cell with peepholes, a projection, and normalized gates (Ba et al., 2016)."""

    def __init__(
        self, num_units: int, use_peepholes: bool = False, cell_clip: Optional[float] = None,
        initializer: Any = None, num_proj: Optional[int] = None,
        proj_clip: Optional[float] = None, forget_bias: float = 1.0, activation: Any = None,
        layer_norm: bool = False, norm_gain: float = 1.0, norm_shift: float = 0.0,
        reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory.
            use_peepholes: Whether the memory goes into the gates, each unit into its own.
            cell_clip: The largest absolute value in the memory.
            initializer: That of the variables, by default that of the scope.
            num_proj: The size of outputs, to which a matrix projects them.
            proj_clip: The largest absolute value in a projected output.
            forget_bias: Added to what goes into the forget gate.
            activation: The function of new memory and output, by default tanh.
            layer_norm: Whether gates and memory are normalized; if so, the bias is not used.
            norm_gain: The first values of the scales.
            norm_shift: The first values of what is added to normalized values.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(
            num_units, use_peepholes, cell_clip, initializer, num_proj, proj_clip, forget_bias,
            activation, reuse,
        )  # fmt: skip
        self._layer_norm, self._gain, self._shift = layer_norm, norm_gain, norm_shift

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats.

        Returns:
            The output, [batch, num_proj or num_units], and the next state.

        Raises:
            ValueError: The size of the inputs is not known.
        """
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            return super().call(inputs, state)

    def _norm(self, tensor: Any, scope: str) -> Any:
        if not self._layer_norm:
            return tensor
        return layer_normalized(tensor, scope, self._gain, self._shift)

    def _product(self, tensors: Any, size: int, has_bias: bool) -> Any:
        if not has_bias or not self._layer_norm:
            return linear(tensors, size, has_bias)
        product = linear(tensors, size, False)
        with variable_scope(get_variable_scope()) as inner:
            inner.set_partitioner(None)
            # Checkpoints have it, although a normalization would undo what it adds.
            get_variable("bias", [size], dtype=product.dtype, initializer=Zeros())
        return product


@set_module("troupe.contrib.rnn")
class WeightNormLSTMCell(_ProjectedCell):
    """A memory cell whose columns of weights have lengths of their own (Salimans, 2016)."""

    def __init__(
        self, num_units: int, norm: bool = True, use_peepholes: bool = False,
        cell_clip: Optional[float] = None, initializer: Any = None,
        num_proj: Optional[int] = None, proj_clip: Optional[float] = None,
        forget_bias: float = 1, activation: Any = None, reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory.
            norm: Whether the weights of inputs and of outputs before are normalized, each column
                to the length in a variable.
            use_peepholes: Whether the memory goes into the gates, each unit into its own.
            cell_clip: The largest absolute value in the memory.
            initializer: That of the variables, by default that of the scope.
            num_proj: The size of outputs, to which a matrix projects them.
            proj_clip: The largest absolute value in a projected output.
            forget_bias: Added to what goes into the forget gate.
            activation: The function of new memory and output, by default tanh.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(
            num_units, use_peepholes, cell_clip, initializer, num_proj, proj_clip, forget_bias,
            activation, reuse,
        )  # fmt: skip
        self._normalizes = norm

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats.

        Returns:
            The output, [batch, num_proj or num_units], and the next state.

        Raises:
            ValueError: The size of the inputs is not known.
        """
        with variable_scope("wn_lstm_cell", initializer=self._initializer):
            return super().call(inputs, state)

    def _product(self, tensors: Any, size: int, has_bias: bool) -> Any:
        if not self._normalizes:
            return linear(tensors, size, has_bias)
        depths, dtype = [depth_of(each) for each in tensors], tensors[0].dtype
        kernel = get_variable("kernel", [sum(depths), size], dtype=dtype)
        parts = []
        # Within a loop the weights are normalized once, outside of it.
        with get_default_graph().control_dependencies(None):
            for index, part in enumerate(array_ops.split(kernel, depths, axis=0)):
                length = get_variable(f"norm_{index}", [size], dtype=dtype)
                parts.append(l2_normalize(part, axis=0) * length)
            scaled = array_ops.concat(parts, 0)
        product = math_ops.matmul(array_ops.concat(tensors, 1), scaled)
        if not has_bias:
            return product
        with variable_scope(get_variable_scope()) as inner:
            inner.set_partitioner(None)
            bias = get_variable("bias", [size], dtype=dtype, initializer=Zeros())
        return nn_ops.bias_add(product, bias)
