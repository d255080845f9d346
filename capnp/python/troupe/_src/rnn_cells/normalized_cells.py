"""Memory cells whose gates may be normalized: a basic one, and one with coupled gates."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, clip_ops, gen_ops, math_ops
from troupe._src.platform import logging
from troupe._src.rnn.cell import RNNCell
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.rnn_cells.linear import depth_of, layer_normalized, linear
from troupe._src.set_module import set_module
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_scope import get_variable


@set_module("troupe.contrib.rnn")
class LayerNormBasicLSTMCell(RNNCell):
    """A memory cell with normalized gates and memory, and dropout of what is new in the memory."""

    def __init__(
        self, num_units: int, forget_bias: float = 1.0, input_size: Any = None,
        activation: Any = gen_ops.tanh, layer_norm: bool = True, norm_gain: float = 1.0,
        norm_shift: float = 0.0, dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: Optional[int] = None, reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory and of the output.
            forget_bias: Added to what goes into the forget gate.
            input_size: Has no effect.
            activation: The function of new memory and output.
            layer_norm: Whether gates and memory are normalized; if not, the gates have a bias.
            norm_gain: The first values of the scales.
            norm_shift: The first values of what is added to normalized values.
            dropout_keep_prob: How probable it is that a new value is kept, a number or a scalar.
            dropout_prob_seed: The seed of that.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(_reuse=reuse)
        if input_size is not None:
            logging.warning("%s: The input_size parameter is deprecated.", self)
        self._num_units, self._activation = num_units, activation
        self._forget_bias, self._layer_norm = forget_bias, layer_norm
        self._gain, self._shift = norm_gain, norm_shift
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    @property
    def state_size(self) -> Any:
        """The sizes of the memory and of the output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def _norm(self, tensor: Any, scope: str) -> Any:
        if not self._layer_norm:
            return tensor
        return layer_normalized(tensor, scope, self._gain, self._shift)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats.

        Returns:
            The output, [batch, num_units], and the next state.
        """
        memory, before = state
        count = 4 * self._num_units
        gates = linear([inputs, before], count, bias=False)
        if not self._layer_norm:
            # As in TensorFlow it begins with what the scope says, not with zeros.
            gates = nn_ops.bias_add(gates, get_variable("bias", [count], dtype=gates.dtype))
        enter, new, forget, leave = array_ops.split(gates, 4, axis=1)
        enter, new = self._norm(enter, "input"), self._norm(new, "transform")
        forget, leave = self._norm(forget, "forget"), self._norm(leave, "output")
        added = self._activation(new)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            added = nn_ops.dropout(added, self._keep_prob, seed=self._seed)
        kept = memory * gen_ops.sigmoid(forget + self._forget_bias)
        memory = self._norm(kept + gen_ops.sigmoid(enter) * added, "state")
        output = self._activation(memory) * gen_ops.sigmoid(leave)
        return output, LSTMStateTuple(memory, output)


@set_module("troupe.contrib.rnn")
class CoupledInputForgetGateLSTMCell(RNNCell):
    """A memory cell that takes in as much as it forgets (Greff et al., 2015)."""

    def __init__(
        self, num_units: int, use_peepholes: bool = False, initializer: Any = None,
        num_proj: Optional[int] = None, proj_clip: Optional[float] = None,
        num_unit_shards: int = 1, num_proj_shards: int = 1, forget_bias: float = 1.0,
        state_is_tuple: bool = True, activation: Any = gen_ops.tanh, reuse: Any = None,
        layer_norm: bool = False, norm_gain: float = 1.0, norm_shift: float = 0.0,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory.
            use_peepholes: Whether the memory goes into the gates, each unit into its own.
            initializer: Is kept and not used, as in TensorFlow.
            num_proj: The size of outputs, to which a matrix projects them.
            proj_clip: The largest absolute value in a projected output.
            num_unit_shards: The number of variables that make up the kernel.
            num_proj_shards: The number of variables that make up the projection.
            forget_bias: Added to what goes into the forget gate.
            state_is_tuple: Whether a state is an LSTMStateTuple, or one concatenated tensor.
            activation: The function of new memory and output.
            reuse: Whether the variables are those that exist in the scope.
            layer_norm: Whether gates and memory are normalized; if so, the bias is not used.
            norm_gain: The first values of the scales.
            norm_shift: The first values of what is added to normalized values.
        """
        super().__init__(_reuse=reuse)
        if not state_is_tuple:
            logging.warning(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use "
                "state_is_tuple=True.",
                self,
            )
        self._num_units, self._use_peepholes = num_units, use_peepholes
        self._initializer, self._num_proj, self._proj_clip = initializer, num_proj, proj_clip
        self._num_unit_shards, self._num_proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation, self._layer_norm = activation, layer_norm
        self._gain, self._shift = norm_gain, norm_shift

    @property
    def state_size(self) -> Any:
        """The sizes of the memory and of the output, or their sum for a concatenated state."""
        sizes = (self._num_units, self.output_size)
        return LSTMStateTuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._num_proj or self._num_units

    def _norm(self, tensor: Any, scope: str) -> Any:
        if not self._layer_norm:
            return tensor
        return layer_normalized(tensor, scope, self._gain, self._shift)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: An LSTMStateTuple of floats, or their concatenation.

        Returns:
            The output, [batch, num_proj or num_units], and the next state, of the kind of `state`.

        Raises:
            ValueError: The size of the inputs is not known.
        """
        units, dtype = self._num_units, inputs.dtype
        if self._state_is_tuple:
            memory, before = state
        else:
            memory, before = array_ops.split(state, [units, self.output_size], axis=1)
        kernel = sharded(
            "W", [depth_of(inputs) + self.output_size, 3 * units], dtype, self._num_unit_shards
        )
        bias = get_variable("B", [3 * units], dtype=dtype, initializer=Zeros())
        gates = math_ops.matmul(array_ops.concat([inputs, before], 1), kernel)
        if not self._layer_norm:
            gates = nn_ops.bias_add(gates, bias)
        new, forget, leave = array_ops.split(gates, 3, axis=1)
        new, forget = self._norm(new, "transform"), self._norm(forget, "forget")
        leave, forget_diag, leave_diag = self._norm(leave, "output"), None, None
        if self._use_peepholes:
            forget_diag = get_variable("W_F_diag", [units], dtype=dtype)
            leave_diag = get_variable("W_O_diag", [units], dtype=dtype)
        forget = forget + self._forget_bias
        if self._use_peepholes:
            forget = forget + forget_diag * memory
        share = gen_ops.sigmoid(forget)
        memory = share * memory + (1 - share) * self._activation(new)
        memory = self._norm(memory, "state")
        if self._use_peepholes:
            leave = leave + leave_diag * memory
        output = gen_ops.sigmoid(leave) * self._activation(memory)
        if self._num_proj is not None:
            projection = sharded("W_P", [units, self._num_proj], dtype, self._num_proj_shards)
            output = math_ops.matmul(output, projection)
            if self._proj_clip is not None:
                output = clip_ops.clip_by_value(output, -self._proj_clip, self._proj_clip)
        if self._state_is_tuple:
            return output, LSTMStateTuple(memory, output)
        return output, array_ops.concat([memory, output], 1)


def sharded(name: str, shape: Any, dtype: Any, count: int) -> Any:
    """A matrix of `count` variables of rows: `name_0`, `name_1` and so on.

    Args:
        name: The name of the matrix.
        shape: Its two sizes.
        dtype: Its dtype.
        count: The number of variables, among which the rows are divided, the first ones having one
            more where that does not come out even.

    Returns:
        The variable, or the concatenated ones.

    Raises:
        ValueError: There are more variables than rows.
    """
    if count > shape[0]:
        raise ValueError(f"Too many shards: shape={tuple(shape)}, num_shards={count}")
    rows, rest = divmod(shape[0], count)
    parts = [
        get_variable(f"{name}_{index}", [rows + (index < rest), *shape[1:]], dtype=dtype)
        for index in range(count)
    ]
    return parts[0] if count == 1 else array_ops.concat(parts, 0)
