"""Cells of recurrent layers: the base of those of programs, and the LSTM that sees its state."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.control_flow.structure import is_nested
from troupe._src.ops import array_ops
from troupe._src.ops.creation_ops import zeros as zeros_of
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module
from troupe._src.types.dtypes import as_dtype
from troupe._src.types.shapes import TensorShape

_Layer: Any = keras_module("engine.base_layer").Layer
_backend = keras_module("backend")
_recurrent = keras_module("layers.recurrent")
_LSTMCell: Any = _recurrent.LSTMCell


@set_module("troupe.keras.layers")
class AbstractRNNCell(_Layer):  # type: ignore[misc]
    """The base of cells: a class of a program's own has `call`, `state_size` and `output_size`."""

    def call(self, inputs: Any, states: Any) -> Any:
        """The results and the next states of one step.

        Args:
            inputs: Those of the step, [batch, inputs].
            states: A list of tensors [batch, size].

        Returns:
            The results, and a list of tensors.
        """
        raise NotImplementedError("Abstract method")

    @property
    def state_size(self) -> Any:
        """The size of the state, or a list of those of several."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the results, by default that of the first state."""
        sizes = self.state_size
        return sizes[0] if is_nested(sizes) else sizes

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """States of zeros.

        Args:
            inputs: A tensor whose first size and dtype they have.
            batch_size: That size, if there is no such tensor.
            dtype: That dtype, likewise.

        Returns:
            A tensor for each size of `state_size`.

        Raises:
            ValueError: Neither is known.
        """
        return zero_state(self, inputs, batch_size, dtype)


def zero_state(
    self: Any, inputs: Any = None, batch_size: Any = None, dtype: Any = None
) -> Any:
    """States of zeros of a cell: the method `get_initial_state` of `AbstractRNNCell`."""
    if inputs is not None:
        batch_size, dtype = array_ops.shape(inputs)[0], inputs.dtype
    if batch_size is None or dtype is None:
        raise ValueError(
            "batch_size and dtype cannot be None while constructing initial state: "
            f"batch_size={batch_size}, dtype={dtype}"
        )

    def zeros(size: Any) -> Any:
        sizes = TensorShape([size] if isinstance(size, int) else size).as_list()
        shape = array_ops.stack([batch_size, *(each or 0 for each in sizes)])
        return zeros_of(shape, as_dtype(dtype))

    sizes = self.state_size
    if is_nested(sizes) and not all(each is None for each in sizes):
        return [zeros(each) for each in sizes]
    return zeros(sizes)


@set_module("troupe.keras.experimental")
class PeepholeLSTMCell(_LSTMCell):  # type: ignore[misc]
    """An LSTM cell whose gates see the state (Gers and Schmidhuber, 2000).

    As TensorFlow 1.15's class of the name. The arguments are those of `tf.keras.layers.LSTMCell`.
    """

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        super().build(input_shape)
        for gate in ("input", "forget", "output"):
            name = f"{gate}_gate_peephole_weights"
            weight = self.add_weight(
                shape=(self.units,), name=name, initializer=self.kernel_initializer
            )
            setattr(self, name, weight)

    def call(
        self, inputs: Any, states: List[Any], training: Optional[Any] = None
    ) -> Tuple[Any, List[Any]]:
        """The results and the next states of one step."""
        before, carry = states[0], states[1]
        given = self._dropped("_dropout_mask", self.dropout, inputs, training)
        held = self._dropped("_recurrent_dropout_mask", self.recurrent_dropout, before, training)
        parts = [
            self._part(number, given[number], held[number]) for number in range(4)
        ]
        gate, squash = self.recurrent_activation, self.activation
        enters = gate(parts[0] + self.input_gate_peephole_weights * carry)
        stays = gate(parts[1] + self.forget_gate_peephole_weights * carry)
        new = stays * carry + enters * squash(parts[2])
        leaves = gate(parts[3] + self.output_gate_peephole_weights * new)
        result = leaves * squash(new)
        return result, [result, new]

    def _part(self, number: int, inputs: Any, before: Any) -> Any:
        """What one of the gates has of the inputs and of the last results."""
        columns = slice(number * self.units, (number + 1) * self.units)
        found = _backend.dot(inputs, self.kernel[:, columns])
        found += _backend.dot(before, self.recurrent_kernel[:, columns])
        return found + self.bias[columns] if self.use_bias else found

    def _dropped(self, name: str, rate: float, tensor: Any, training: Any) -> List[Any]:
        """The tensor for each gate, without what its mask leaves out."""
        if not 0 < rate < 1:
            return [tensor] * 4
        if getattr(self, name) is None:
            ones = _backend.ones_like(tensor)
            masks = _recurrent._generate_dropout_mask(ones, rate, training=training, count=4)
            setattr(self, name, masks)
        return [tensor * mask for mask in getattr(self, name)]


def extend_cells(module: Any) -> None:
    """Gives the cells of Keras what TensorFlow's have: states of zeros, and masks of dropout.

    Args:
        module: That of recurrent layers.
    """
    for name in ("SimpleRNNCell", "GRUCell", "LSTMCell", "StackedRNNCells"):
        getattr(module, name).get_initial_state = zero_state
    for name in ("SimpleRNNCell", "GRUCell", "LSTMCell"):
        kind = getattr(module, name)
        for mask, rate, what in (
            ("_dropout_mask", "dropout", "dropout"),
            ("_recurrent_dropout_mask", "recurrent_dropout", "recurrent_dropout"),
        ):
            setattr(kind, f"reset_{what}_mask", _resetting(mask))
            setattr(kind, f"get_{what}_mask_for_cell", _masking(module, mask, rate))


def _resetting(name: str) -> Any:
    def reset(self: Any) -> None:
        """Forgets the mask: the next call draws another one."""
        setattr(self, name, None)

    return reset


def _masking(module: Any, name: str, rate: str) -> Any:
    def get(self: Any, inputs: Any, training: Any, count: int = 1) -> Any:
        """The mask of a cell, or as many as that; None where nothing is left out."""
        if not 0 < getattr(self, rate) < 1:
            return None
        if getattr(self, name) is None:
            ones = _backend.ones_like(inputs)
            made = module._generate_dropout_mask(ones, getattr(self, rate), training, count)
            setattr(self, name, made)
        return getattr(self, name)

    return get
