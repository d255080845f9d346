"""Decoders that attend to the outputs of an encoder (Vinyals et al., 2014)."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.graph.elements import Tensor
from troupe._src.legacy_seq2seq.decoders import (
    LoopFunction, check_projection, extract_argmax_and_embed, next_input,
)  # fmt: skip
from troupe._src.nn import nn_ops
from troupe._src.nn.conv_ops import conv2d
from troupe._src.nn.embedding_ops import embedding_lookup
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.rnn_cells.linear import linear
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.variable_store import get_variable_scope, variable_scope
from troupe._src.variables.variable_scope import get_variable


def attention_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: Optional[int] = None,
    num_heads: int = 1,
    loop_function: Optional[LoopFunction] = None,
    dtype: Optional[DTypeLike] = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Tuple[List[Any], Any]:
    """Runs a cell that looks at other states, over inputs or what a function makes of outputs.

    A step calls the cell with a linear function of its input and of what was attended to before;
    its output is a linear function of that of the cell and of what is attended to now. The share of
    each state is the softmax of v * tanh(W * state + U * new state of the cell).

    Args:
        decoder_inputs: For each time step a tensor, [batch, size].
        initial_state: The state of the cell at first.
        attention_states: What it attends to, [batch, length, size].
        cell: A recurrent cell.
        output_size: The size of outputs, by default that of the cell.
        num_heads: How many times it attends in a step.
        loop_function: Called with an output and the next place; gives the next input.
        dtype: The dtype of the variables, by default that of the scope.
        scope: The scope of the variables, by default "attention_decoder".
        initial_state_attention: Whether the first step looks at what the initial state attends to,
            and not at zeros.

    Returns:
        The outputs, and the last state of the cell.

    Raises:
        ValueError: There are no inputs or no heads, or a size is not known.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.shape[2].value is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    with variable_scope(scope or "attention_decoder", dtype=dtype) as entered:
        heads = _Heads(attention_states, num_heads, entered.dtype)
        attended = heads.zeros(array_ops.shape(decoder_inputs[0])[0])
        if initial_state_attention:
            attended = heads.attend(initial_state)
        state, outputs, previous = initial_state, [], None
        for index, given in enumerate(decoder_inputs):
            if index > 0:
                get_variable_scope().reuse_variables()
            given = next_input(given, previous, index, loop_function)
            size = given.shape.with_rank(2)[1].value
            if size is None:
                raise ValueError(f"Could not infer input size from input: {given.name}")
            cell_output, state = cell(heads.mixed([given, *attended], size), state)
            if index == 0 and initial_state_attention:  # which has made the variables
                with variable_scope(get_variable_scope(), reuse=True):
                    attended = heads.attend(state)
            else:
                attended = heads.attend(state)
            with variable_scope("AttnOutputProjection"):
                previous = heads.mixed(
                    [cell_output, *attended],
                    cell.output_size if output_size is None else output_size,
                )
            outputs.append(previous)
    return outputs, state


class _Heads:
    """What attends to the states, each head with variables of its own in the current scope."""

    def __init__(self, states: Any, count: int, dtype: Any) -> None:
        self._size: int = states.shape[2].value
        self._length = states.shape[1].value
        if self._length is None:
            self._length = array_ops.shape(states)[1]
        self._dtype = dtype
        self._states = array_ops.reshape(states, [-1, self._length, 1, self._size])
        self._features: List[Tensor] = []
        self._vectors: List[Any] = []
        for head in range(count):
            shape = [1, 1, self._size, self._size]
            kernel = get_variable(f"AttnW_{head}", shape, dtype=dtype)
            self._features.append(conv2d(self._states, kernel, [1, 1, 1, 1], "SAME"))
            self._vectors.append(get_variable(f"AttnV_{head}", [self._size], dtype=dtype))

    def zeros(self, batch_size: Any) -> List[Tensor]:
        """What each head has attended to before the first step."""
        shape = array_ops.stack([batch_size, self._size])
        zeros = [creation_ops.zeros(shape, dtype=self._dtype) for _ in self._vectors]
        for each in zeros:
            each.set_shape([None, self._size])
        return zeros

    def mixed(self, tensors: List[Any], size: int) -> Tensor:
        """A linear function of tensors."""
        return linear([math_ops.cast(each, self._dtype) for each in tensors], size)

    def attend(self, query: Any) -> List[Tensor]:
        """For each head the sum of the states, weighted by how they fit the query."""
        if nest.is_nested(query):
            parts = nest.flatten(query)
            for part in parts:
                if part.shape.rank not in (None, 0, 2):
                    raise ValueError(f"The state of the cell is not of matrices: {part!r}")
            query = array_ops.concat(parts, 1)
        return [self._read(head, query) for head in range(len(self._vectors))]

    def _read(self, head: int, query: Any) -> Tensor:
        with variable_scope(f"Attention_{head}"):
            asked = array_ops.reshape(linear(query, self._size), [-1, 1, 1, self._size])
            fits = gen_ops.tanh(self._features[head] + math_ops.cast(asked, self._dtype))
            scores = math_ops.reduce_sum(self._vectors[head] * fits, [2, 3])
            shares = nn_ops.softmax(math_ops.cast(scores, dtypes.float32))
            shares = math_ops.cast(shares, self._dtype)
            weights = array_ops.reshape(shares, [-1, self._length, 1, 1])
            read = math_ops.reduce_sum(weights * self._states, [1, 2])
            return array_ops.reshape(read, [-1, self._size])


def embedding_attention_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: Optional[int] = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Optional[DTypeLike] = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Tuple[List[Any], Any]:
    """`attention_decoder` over symbols, which the variable `embedding` turns into inputs.

    Args:
        decoder_inputs: For each time step the symbols, [batch].
        initial_state: The state of the cell at first.
        attention_states: What it attends to, [batch, length, size].
        cell: A recurrent cell.
        num_symbols: The number of symbols.
        embedding_size: The size of an embedding.
        num_heads: How many times it attends in a step.
        output_size: The size of outputs, by default that of the cell.
        output_projection: (weights, biases) that turn an output into logits; None where it is
            logits.
        feed_previous: Whether each step but the first takes the most likely symbol of the last one.
        update_embedding_for_previous: Whether these symbols give gradients to the embedding.
        dtype: The dtype of the variables, by default that of the scope.
        scope: The scope of the variables, by default "embedding_attention_decoder".
        initial_state_attention: Whether the first step looks at what the initial state attends to.

    Returns:
        The outputs, and the last state of the cell.

    Raises:
        ValueError: The projection has the wrong shape, or as `attention_decoder`.
    """
    check_projection(output_projection, num_symbols, dtype, weights=False)
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = extract_argmax_and_embed(
                embedding, output_projection, update_embedding_for_previous
            )
        return attention_decoder(
            [embedding_lookup(embedding, symbols) for symbols in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=cell.output_size if output_size is None else output_size,
            num_heads=num_heads,
            loop_function=loop_function,
            initial_state_attention=initial_state_attention,
        )
