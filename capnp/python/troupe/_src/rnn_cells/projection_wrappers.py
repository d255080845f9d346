"""Cells around a cell that change its inputs and outputs, and one that attends to earlier ones."""

from __future__ import annotations

import math
from typing import Any, Optional

from troupe._src.control_flow import nest
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn import nn_ops
from troupe._src.nn.embedding_ops import embedding_lookup
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.platform import logging
from troupe._src.rnn.cell import RNNCell, assert_like_rnncell
from troupe._src.rnn.wrappers import CellWrapper
from troupe._src.rnn_cells.linear import depth_of, linear
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.initializers import Constant, RandomUniform
from troupe._src.variables.variable_store import get_variable_scope, variable_scope
from troupe._src.variables.variable_scope import get_variable


class _ScopedWrapper(RNNCell):
    """A cell with variables of its own around a cell with the same state.

    Args:
        cell: The cell in it.
        reuse: Whether the variables are those that exist in the scope.

    Raises:
        TypeError: It lacks what a cell has.
    """

    def __init__(self, cell: Any, reuse: Any) -> None:
        super().__init__(_reuse=reuse)
        assert_like_rnncell("cell", cell)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        """That of the cell in it."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the cell in it."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state of zeros of the cell in it.

        Args:
            batch_size: A number or a scalar.
            dtype: The dtype of the state.

        Returns:
            Tensors with the structure of `state_size`.
        """
        with get_default_graph().name_scope(type(self).__name__ + "ZeroState"):
            return self._cell.zero_state(batch_size, dtype)


@set_module("troupe.contrib.rnn")
class EmbeddingWrapper(_ScopedWrapper):
    """A cell whose inputs are the embeddings of numbers."""

    def __init__(
        self, cell: Any, embedding_classes: int, embedding_size: int, initializer: Any = None,
        reuse: Any = None,
    ) -> None:  # fmt: skip
        """Wraps a cell.

        Args:
            cell: The cell.
            embedding_classes: The number of rows of the table, `embedding`.
            embedding_size: The size of a row.
            initializer: That of the table, by default that of the scope, or else uniform with a
                variance of 1.
            reuse: Whether the table is one that exists in the scope.

        Raises:
            ValueError: A size is not positive.
        """
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._sizes, self._initializer = [embedding_classes, embedding_size], initializer

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Integers, [batch] or [batch, 1].
            state: The state of the cell in it.

        Returns:
            The output and the next state.
        """
        with get_default_graph().device("/cpu:0"):
            uniform = RandomUniform(-math.sqrt(3), math.sqrt(3))
            table = get_variable(
                "embedding",
                self._sizes,
                initializer=self._initializer or get_variable_scope().initializer or uniform,
                dtype=(state[0] if isinstance(state, tuple) else state).dtype,
            )
            return self._cell(embedding_lookup(table, array_ops.reshape(inputs, [-1])), state)


@set_module("troupe.contrib.rnn")
class InputProjectionWrapper(_ScopedWrapper):
    """A cell whose inputs are multiplied with a matrix beforehand."""

    def __init__(
        self, cell: Any, num_proj: int, activation: Any = None, input_size: Any = None,
        reuse: Any = None,
    ) -> None:  # fmt: skip
        """Wraps a cell.

        Args:
            cell: The cell.
            num_proj: The size of its inputs.
            activation: The function of the product and its bias, or None.
            input_size: Has no effect.
            reuse: Whether the variables are those that exist in the scope.
        """
        super().__init__(cell, reuse)
        if input_size is not None:
            logging.warning("%s: The input_size parameter is deprecated.", self)
        self._num_proj, self._activation = num_proj, activation

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: The state of the cell in it.

        Returns:
            The output and the next state.
        """
        projected = linear(inputs, self._num_proj)
        return self._cell(self._activation(projected) if self._activation else projected, state)


@set_module("troupe.contrib.rnn")
class OutputProjectionWrapper(_ScopedWrapper):
    """A cell whose outputs are multiplied with a matrix."""

    def __init__(
        self, cell: Any, output_size: int, activation: Any = None, reuse: Any = None
    ) -> None:
        """Wraps a cell.

        Args:
            cell: The cell.
            output_size: The size of the products.
            activation: The function of the product and its bias, or None.
            reuse: Whether the variables are those that exist in the scope.

        Raises:
            ValueError: The size is not positive.
        """
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size, self._activation = output_size, activation

    @property
    def output_size(self) -> Any:
        """The size of the products."""
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: What the cell in it takes.
            state: Its state.

        Returns:
            The output, [batch, output_size], and the next state.
        """
        output, after = self._cell(inputs, state)
        projected = linear(output, self._output_size)
        return self._activation(projected) if self._activation else projected, after


@set_module("troupe.contrib.rnn")
class HighwayWrapper(CellWrapper):
    """A cell whose outputs are mixed with its inputs, by a gate (Srivastava et al., 2015).

    The variables of the gates are in the scope in which the cell is called.
    """

    def __init__(
        self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        """Wraps a cell.

        Args:
            cell: The cell.
            couple_carry_transform_gates: Whether the share of the output is what that of the input
                leaves over, not a gate of its own.
            carry_bias_init: The first bias of the gate of inputs.
        """
        super().__init__(cell)
        self._couples, self._carry_bias = couple_carry_transform_gates, carry_bias_init

    def _wrapped(self, inputs: Any, state: Any, scope: Any) -> Any:
        outputs, after = self.cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        for one, other in zip(nest.flatten(inputs), nest.flatten(outputs)):
            one.shape.assert_is_compatible_with(other.shape)
        return nest.map_structure(self._highway, inputs, outputs), after

    def _highway(self, given: Any, output: Any) -> Any:
        carry = self._gate("carry", given, self._carry_bias)
        if self._couples:
            return given * carry + output * (1 - carry)
        return given * carry + output * self._gate("transform", given, -self._carry_bias)

    def _gate(self, name: str, given: Any, bias: float) -> Any:
        size = depth_of(given)
        weights = get_variable(f"{name}_w", [size, size])
        biases = get_variable(f"{name}_b", [size], initializer=Constant(bias))
        return gen_ops.sigmoid(nn_ops.xw_plus_b(given, weights, biases))


@set_module("troupe.contrib.rnn")
class AttentionCellWrapper(_ScopedWrapper):
    """A cell that attends to its last outputs (Bahdanau et al., 2014)."""

    def __init__(
        self, cell: Any, attn_length: int, attn_size: Optional[int] = None,
        attn_vec_size: Optional[int] = None, input_size: Optional[int] = None,
        state_is_tuple: bool = True, reuse: Any = None,
    ) -> None:  # fmt: skip
        """Wraps a cell.

        Args:
            cell: The cell.
            attn_length: The number of outputs that it attends to.
            attn_size: The size of outputs, by default that of the cell.
            attn_vec_size: The size in which states and outputs are compared, by default that of
                outputs.
            input_size: The size of the cell's inputs, by default that of the inputs.
            state_is_tuple: Whether the state is a tuple, or one concatenated tensor.
            reuse: Whether the variables are those that exist in the scope.

        Raises:
            ValueError: The number is not positive, or the state of the cell is a tuple and that of
                this one is not.
        """
        super().__init__(cell, reuse)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size "
                f"is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        if not state_is_tuple:
            logging.warning(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use "
                "state_is_tuple=True.",
                self,
            )
        self._attn_size = attn_size or cell.output_size
        self._attn_vec_size = attn_vec_size or self._attn_size
        self._attn_length, self._input_size = attn_length, input_size
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self) -> Any:
        """The sizes of the cell's state, of what it attended to, and of its last outputs."""
        sizes = (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of outputs."""
        return self._attn_size

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """A state of zeros.

        Args:
            batch_size: A number or a scalar.
            dtype: The dtype of the state.

        Returns:
            Tensors with the structure of `state_size`.
        """
        return RNNCell.zero_state(self, batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes a step.

        Args:
            inputs: Floats, [batch, size].
            state: Tensors of the sizes of `state_size`.

        Returns:
            The output, [batch, attn_size], and the next state.

        Raises:
            ValueError: The size of the inputs is not known.
        """
        size = self._attn_size
        if not self._state_is_tuple:
            sizes = [self._cell.state_size, size, size * self._attn_length]
            state = array_ops.split(state, sizes, axis=1)
        state, attended, history = state
        history = array_ops.reshape(history, [-1, self._attn_length, size])
        inputs = linear([inputs, attended], self._input_size or depth_of(inputs))
        output, after = self._cell(inputs, state)
        query = array_ops.concat(nest.flatten(after), 1)
        attended = self._attention(query, history)
        with variable_scope("attn_output_projection"):
            output = linear([output, attended], size)
        history = array_ops.concat([history[:, 1:], array_ops.expand_dims(output, 1)], 1)
        history = array_ops.reshape(history, [-1, self._attn_length * size])
        parts = (after, attended, history)
        return output, parts if self._state_is_tuple else array_ops.concat(parts, 1)

    def _attention(self, query: Any, history: Any) -> Any:
        """The sum of the outputs, weighted by how they fit the query."""
        size, vector = self._attn_size, self._attn_vec_size
        with variable_scope("attention"):
            kernel = get_variable("attn_w", [1, 1, size, vector])
            weights = get_variable("attn_v", [vector])
            asked = array_ops.expand_dims(linear(query, vector), 1)
            rows = array_ops.reshape(history, [-1, size])
            features = math_ops.matmul(rows, array_ops.reshape(kernel, [size, vector]))
            features = array_ops.reshape(features, [-1, self._attn_length, vector])
            scores = math_ops.reduce_sum(weights * gen_ops.tanh(features + asked), [2])
            shares = array_ops.expand_dims(nn_ops.softmax(scores), 2)
            return array_ops.reshape(math_ops.reduce_sum(shares * history, [1]), [-1, size])
