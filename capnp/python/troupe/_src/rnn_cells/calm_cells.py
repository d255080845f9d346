"""Cells with gates between a projected input and the state alone: of little or no chaos."""

from __future__ import annotations

from typing import Any, Dict, Optional

from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.rnn.cell import LayerRNNCell, activation_of
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.initializers import (
    GlorotNormal,
    GlorotUniform,
    Ones,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    Zeros,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)

_INITIALIZERS: Dict[str, Any] = {
    "glorot_normal": GlorotNormal,
    "glorot_uniform": GlorotUniform,
    "he_normal": he_normal,
    "he_uniform": he_uniform,
    "lecun_normal": lecun_normal,
    "lecun_uniform": lecun_uniform,
    "ones": Ones,
    "random_normal": lambda: RandomNormal(stddev=0.05),
    "random_uniform": lambda: RandomUniform(-0.05, 0.05),
    "truncated_normal": lambda: TruncatedNormal(stddev=0.05),
    "zeros": Zeros,
}


def _initializer_of(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    if given not in _INITIALIZERS:
        raise ValueError(f"Unknown initializer: {given}")
    return _INITIALIZERS[given]()


class _CalmCell(LayerRNNCell):
    """A cell of so many units, whose state is its output.

    Args:
        units: The size of the state and of the output.
        activation: A function, or Keras's name of one.
        kernel_initializer: That of the matrices, or Keras's name of one.
        bias_initializer: That of the bias, or such a name.
        name: The name of the layer.
        dtype: The dtype of the variables, by default that of the first input.
        **kwargs: What all layers take.

    Raises:
        ValueError: There is no function or initializer of that name.
    """

    def __init__(
        self, units: int, activation: Any = "tanh", kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "ones", name: Optional[str] = None,
        dtype: Optional[DTypeLike] = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name=name, **kwargs)
        self.units, self.activation = units, activation_of(activation)
        self.kernel_initializer = _initializer_of(kernel_initializer)
        self.bias_initializer = _initializer_of(bias_initializer)
        self.kernel: Any = None
        self.bias: Any = None

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self.units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self.units


@set_module("troupe.contrib.rnn")
class MinimalRNNCell(_CalmCell):
    """A cell with one gate between the state and the projected input (Chen et al., 2018)."""

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernel, of the projection and of the gate, and the bias.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        rows, given = self._depth_of(inputs_shape) + 2 * self.units, self.kernel_initializer
        self.kernel = self.add_weight("kernel", [rows, self.units], initializer=given)
        self.bias = self.add_weight("bias", [self.units], initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Floats, [batch, units].

        Returns:
            The output and the next state, which are the same.
        """
        sizes = [inputs.shape[1].value, 2 * self.units]
        own, gate = array_ops.split(self.kernel, sizes, axis=0)
        projected = self.activation(math_ops.matmul(inputs, own))
        seen = math_ops.matmul(array_ops.concat([projected, state], 1), gate)
        update = gen_ops.sigmoid(nn_ops.bias_add(seen, self.bias))
        output = update * state + (1 - update) * projected
        return output, output


@set_module("troupe.contrib.rnn")
class CFNCell(_CalmCell):
    """A cell with a gate of the state and one of the input, of no chaos (Laurent, 2017)."""

    def build(self, inputs_shape: Any) -> None:
        """Makes the kernels and the bias of the gates.

        Args:
            inputs_shape: [batch, size], of a known size.
        """
        units, given = self.units, self.kernel_initializer
        depth = self._depth_of(inputs_shape)
        self.kernel = self.add_weight("kernel", [depth, 3 * units], initializer=given)
        self.recurrent_kernel = self.add_weight(
            "recurrent_kernel", [units, 2 * units], initializer=given
        )
        self.bias = self.add_weight("bias", [2 * units], initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Floats, [batch, units].

        Returns:
            The output and the next state, which are the same.
        """
        of_gates, own = array_ops.split(self.kernel, [2 * self.units, self.units], axis=1)
        seen = math_ops.matmul(state, self.recurrent_kernel) + math_ops.matmul(inputs, of_gates)
        gates = gen_ops.sigmoid(nn_ops.bias_add(seen, self.bias))
        keep, drop = array_ops.split(gates, 2, axis=1)
        added = (1 - drop) * self.activation(math_ops.matmul(inputs, own))
        output = keep * self.activation(state) + added
        return output, output
