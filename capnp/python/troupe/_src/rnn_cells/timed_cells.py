"""Memory cells for times and frequencies: with gates that open at times, and over frequencies."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, clip_ops, creation_ops, gen_ops, math_ops, selection_ops
from troupe._src.random.random_ops import random_uniform
from troupe._src.rnn.cell import RNNCell
from troupe._src.rnn.lstm_cells import LSTMStateTuple
from troupe._src.rnn_cells.linear import depth_of, linear
from troupe._src.rnn_cells.normalized_cells import sharded
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Constant, Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable


@set_module("troupe.contrib.rnn")
class PhasedLSTMCell(RNNCell):
    """A memory cell whose units change in a part of their period only (Neil et al., 2016)."""

    def __init__(
        self, num_units: int, use_peepholes: bool = False, leak: Any = 0.001,
        ratio_on: Any = 0.1, trainable_ratio_on: bool = True, period_init_min: Any = 1.0,
        period_init_max: Any = 1000.0, reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units`.

        Args:
            num_units: The size of the memory and of the output.
            use_peepholes: Whether the memory goes into the gates.
            leak: The share of a change in the rest of the period.
            ratio_on: The first value of the part in which units change.
            trainable_ratio_on: Whether that part is trained.
            period_init_min: The least first period; the logarithms of periods are distributed
                uniformly.
            period_init_max: The greatest one.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes, self._leak = num_units, use_peepholes, leak
        self._ratio_on, self._trains_ratio = ratio_on, trainable_ratio_on
        self._periods = (period_init_min, period_init_max)

    @property
    def state_size(self) -> Any:
        """The sizes of the memory and of the output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: The time, [batch, 1] of float32 or float64, and the features, float32 [batch,
                size].
            state: An LSTMStateTuple of floats.

        Returns:
            The output, [batch, num_units], and the next state.

        Raises:
            ValueError: The size of the features is not known.
        """
        (memory, before), (time, features), units = state, inputs, self._num_units
        seen = [features, before]
        with variable_scope("mask_gates"):
            gates = linear([*seen, memory] if self._use_peepholes else seen, 2 * units)
        enter, forget = array_ops.split(gen_ops.sigmoid(gates), 2, axis=1)
        with variable_scope("new_input"):
            new = gen_ops.tanh(linear(seen, units))
        changed = memory * forget + enter * new
        with variable_scope("output_gate"):
            leave = linear([*seen, changed] if self._use_peepholes else seen, units)
        output = gen_ops.tanh(changed) * gen_ops.sigmoid(leave)
        share = self._share(time)
        changed = share * changed + (1 - share) * memory
        output = share * output + (1 - share) * before
        return output, LSTMStateTuple(changed, output)

    def _share(self, time: Any) -> Any:
        """The share of its change that each unit makes at a time."""
        units = [self._num_units]
        period = get_variable("period", units, initializer=self._initial_period)
        phase = get_variable(
            "phase",
            units,
            initializer=lambda shape, dtype=dtypes.float32, **_: (
                random_uniform(shape, dtype=dtype) * period.initial_value
            ),
        )
        ratio = get_variable(
            "ratio_on", units, initializer=Constant(self._ratio_on), trainable=self._trains_ratio
        )
        cycle = math_ops.cast(period, time.dtype)
        shifted = time - math_ops.cast(phase, time.dtype)
        # The derivative of the remainder is 1, also where that of the op is not defined.
        rest = gen_ops.stop_gradient(gen_ops.floormod(shifted, cycle) - shifted) + shifted
        place = math_ops.cast(rest / cycle, dtypes.float32)
        rising = 2 * place / ratio
        share = selection_ops.where(place < ratio, 2 - rising, self._leak * place)
        return selection_ops.where(place < 0.5 * ratio, rising, share)

    def _initial_period(self, shape: Any, dtype: Any = dtypes.float32, **_: Any) -> Any:
        least, most = (gen_ops.log(each) for each in self._periods)
        return gen_ops.exp(random_uniform(shape, least, most, dtype))


@set_module("troupe.contrib.rnn")
class TimeFreqLSTMCell(RNNCell):
    """A memory cell that goes over windows of its inputs, such as frequencies (Sainath, 2016).

    The output of a window is an input of the next one. States and outputs are side by side, so
    that `state_size` and `output_size`, which are those of a window, suit inputs of one window.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool = False, cell_clip: Optional[float] = None,
        initializer: Any = None, num_unit_shards: int = 1, forget_bias: float = 1.0,
        feature_size: Any = None, frequency_skip: int = 1, reuse: Any = None,
    ) -> None:  # fmt: skip
        """A cell of `num_units` a window.

        Args:
            num_units: The size of the memory and of the output of a window.
            use_peepholes: Whether the memory goes into the gates, each unit into its own.
            cell_clip: The largest absolute value in the memory.
            initializer: Is kept and not used, as in TensorFlow.
            num_unit_shards: The number of variables that make up the kernel.
            forget_bias: Added to what goes into the forget gate.
            feature_size: The size of a window.
            frequency_skip: The distance of windows.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes, self._cell_clip = num_units, use_peepholes, cell_clip
        self._initializer, self._num_unit_shards = initializer, num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size, self._frequency_skip = feature_size, frequency_skip

    @property
    def state_size(self) -> Any:
        """Twice the number of units."""
        return 2 * self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Memory and output of each window, side by side, [batch, windows * 2 *
                num_units].

        Returns:
            The outputs of all windows, [batch, windows * num_units], and the next state.

        Raises:
            ValueError: The size of the inputs is not known.
        """
        units, dtype, width = self._num_units, inputs.dtype, self._feature_size
        count = (depth_of(inputs) - width) // self._frequency_skip + 1
        shape = [width + 2 * units, 4 * units]
        kernel = sharded("W", shape, dtype, self._num_unit_shards)
        bias = get_variable("B", [4 * units], dtype=dtype, initializer=Zeros())
        diagonals = {}
        if self._use_peepholes:
            for gate in "FIO":
                diagonals[gate] = get_variable(f"W_{gate}_diag", [units], dtype=dtype)
        batch = inputs.shape[0].value or array_ops.shape(inputs)[0]
        below = creation_ops.zeros([batch, units], dtype)
        parts = array_ops.split(state, 2 * count, axis=1)
        states, outputs = [], []
        for window in range(count):
            start = window * self._frequency_skip
            seen = [inputs[:, start : start + width], parts[2 * window + 1], below]
            gates = math_ops.matmul(array_ops.concat(seen, 1), kernel)
            memory, below = self._step(nn_ops.bias_add(gates, bias), parts[2 * window], diagonals)
            states += [memory, below]
            outputs.append(below)
        return array_ops.concat(outputs, 1), array_ops.concat(states, 1)

    def _step(self, gates: Any, memory: Any, diagonals: Any) -> Any:
        """The next memory of a window, and its output."""
        sigmoid, tanh = gen_ops.sigmoid, gen_ops.tanh
        enter, new, forget, leave = array_ops.split(gates, 4, axis=1)
        forget = forget + self._forget_bias
        if diagonals:
            forget, enter = forget + diagonals["F"] * memory, enter + diagonals["I"] * memory
        memory = sigmoid(forget) * memory + sigmoid(enter) * tanh(new)
        if self._cell_clip is not None:
            memory = clip_ops.clip_by_value(memory, -self._cell_clip, self._cell_clip)
        if diagonals:
            leave = leave + diagonals["O"] * memory
        return memory, sigmoid(leave) * tanh(memory)
