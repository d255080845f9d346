"""Decoders that call a cell once for each time step, each step a part of the graph."""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.nn import nn_ops
from troupe._src.nn.embedding_ops import embedding_lookup
from troupe._src.ops import array_ops, gen_ops, reduction_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.variable_store import get_variable_scope, variable_scope
from troupe._src.variables.variable_scope import get_variable

LoopFunction = Callable[[Any, int], Any]


def extract_argmax_and_embed(
    embedding: Any, output_projection: Any = None, update_embedding: bool = True
) -> LoopFunction:
    """A loop function that gives the embedding of the most likely symbol of an output.

    Args:
        embedding: The embeddings of all symbols.
        output_projection: (weights, biases) that turn an output into logits; None where it is
            logits.
        update_embedding: Whether the embeddings get gradients from there.

    Returns:
        The function.
    """

    def loop_function(previous: Any, _: int) -> Tensor:
        if output_projection is not None:
            previous = nn_ops.xw_plus_b(previous, output_projection[0], output_projection[1])
        embedded = embedding_lookup(embedding, reduction_ops.argmax(previous, 1))
        return embedded if update_embedding else gen_ops.stop_gradient(embedded)

    return loop_function


def rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: Any,
    cell: Any,
    loop_function: Optional[LoopFunction] = None,
    scope: Any = None,
) -> Tuple[List[Any], Any]:
    """Runs a cell over the inputs of a decoder, or over what a function makes of its outputs.

    Args:
        decoder_inputs: For each time step a tensor, [batch, size].
        initial_state: The state at first.
        cell: A recurrent cell.
        loop_function: Called with an output and the next place; gives the next input.
        scope: The scope of the variables, by default "rnn_decoder".

    Returns:
        The outputs, and the last state.
    """
    with variable_scope(scope or "rnn_decoder"):
        state, outputs, previous = initial_state, [], None
        for index, given in enumerate(decoder_inputs):
            given = next_input(given, previous, index, loop_function)
            if index > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
            previous = output
    return outputs, state


def next_input(given: Any, previous: Any, index: int, function: Optional[LoopFunction]) -> Any:
    """The input of a step: what it was given, or what the function makes of the last output."""
    if function is None or previous is None:
        return given
    with variable_scope("loop_function", reuse=True):
        return function(previous, index)


def embedding_rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> Tuple[List[Any], Any]:
    """`rnn_decoder` over symbols, which the variable `embedding` turns into inputs.

    Args:
        decoder_inputs: For each time step the symbols, [batch].
        initial_state: The state at first.
        cell: A recurrent cell.
        num_symbols: The number of symbols.
        embedding_size: The size of an embedding.
        output_projection: (weights, biases) that turn an output into logits; None where it is
            logits. Without effect unless previous outputs are fed.
        feed_previous: Whether each step but the first takes the most likely symbol of the last one.
        update_embedding_for_previous: Whether these symbols give gradients to the embedding.
        scope: The scope of the variables, by default "embedding_rnn_decoder".

    Returns:
        The outputs, and the last state.

    Raises:
        ValueError: The projection has the wrong shape.
    """
    with variable_scope(scope or "embedding_rnn_decoder") as entered:
        check_projection(output_projection, num_symbols, entered.dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = extract_argmax_and_embed(
                embedding, output_projection, update_embedding_for_previous
            )
        embedded = (embedding_lookup(embedding, symbols) for symbols in decoder_inputs)
        return rnn_decoder(embedded, initial_state, cell, loop_function)


def check_projection(projection: Any, num_symbols: int, dtype: Any, weights: bool = True) -> None:
    """ValueError unless its weights and biases are for that number of symbols."""
    if projection is None:
        return
    if weights:
        matrix = convert_to_tensor(projection[0], dtype=dtype)
        matrix.shape.assert_is_compatible_with([None, num_symbols])
    biases = convert_to_tensor(projection[1], dtype=dtype)
    biases.shape.assert_is_compatible_with([num_symbols])


def attention_states_of(outputs: List[Any], size: int) -> Tensor:
    """The outputs of an encoder side by side, [batch, time, size]."""
    return array_ops.concat([array_ops.reshape(each, [-1, 1, size]) for each in outputs], 1)
