"""Models of an encoder and a decoder, each of which is a cell called once for each time step."""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.control_flow.conditional import cond
from troupe._src.legacy_seq2seq.attention import embedding_attention_decoder
from troupe._src.legacy_seq2seq.decoders import (
    LoopFunction, attention_states_of, check_projection, embedding_rnn_decoder,
    extract_argmax_and_embed, rnn_decoder,
)  # fmt: skip
from troupe._src.nn.embedding_ops import embedding_lookup
from troupe._src.rnn.cell import RNNCell
from troupe._src.rnn.static import static_rnn
from troupe._src.rnn_cells.projection_wrappers import EmbeddingWrapper, OutputProjectionWrapper
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.variable_store import get_variable_scope, variable_scope
from troupe._src.variables.variable_scope import get_variable

Decoded = Tuple[List[Any], Any]  # outputs and the last state


def basic_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    dtype: DTypeLike = dtypes.float32,
    scope: Any = None,
) -> Decoded:
    """Encodes a sequence with a copy of a cell, and decodes another one with the cell.

    Args:
        encoder_inputs: For each time step a tensor, [batch, size].
        decoder_inputs: For each time step a tensor, [batch, size].
        cell: A recurrent cell.
        dtype: The dtype of the first state.
        scope: The scope of the variables, by default "basic_rnn_seq2seq".

    Returns:
        The outputs of the decoder, and its last state.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    loop_function: Optional[LoopFunction] = None,
    dtype: DTypeLike = dtypes.float32,
    scope: Any = None,
) -> Decoded:
    """Encodes a sequence and decodes another one with the same variables.

    Args:
        encoder_inputs: For each time step a tensor, [batch, size].
        decoder_inputs: For each time step a tensor, [batch, size].
        cell: A recurrent cell.
        loop_function: Called with an output and the next place; gives the next input.
        dtype: The dtype of the first state.
        scope: The scope of the variables in "combined_tied_rnn_seq2seq", by default
            "tied_rnn_seq2seq".

    Returns:
        The outputs of the decoder, and its last state.
    """
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, scope)


def embedding_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Optional[DTypeLike] = None,
    scope: Any = None,
) -> Decoded:
    """`basic_rnn_seq2seq` over symbols, with an embedding for each side.

    Args:
        encoder_inputs: For each time step the symbols, [batch].
        decoder_inputs: For each time step the symbols, [batch].
        cell: A recurrent cell.
        num_encoder_symbols: The number of symbols of the encoder.
        num_decoder_symbols: The number of symbols of the decoder.
        embedding_size: The size of an embedding.
        output_projection: (weights, biases) that turn an output into logits; None where a variable
            is to do it, so that the outputs are logits.
        feed_previous: Whether each step of the decoder but the first takes the most likely symbol
            of the last one; a bool, or a scalar.
        dtype: The dtype of the first state, by default that of the scope.
        scope: The scope of the variables, by default "embedding_rnn_seq2seq".

    Returns:
        The outputs of the decoder, and its last state.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq") as entered:
        if dtype is not None:
            entered.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=entered.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feeds: bool, updates: bool) -> Decoded:
            return embedding_rnn_decoder(
                decoder_inputs, state, cell, num_decoder_symbols, embedding_size,
                output_projection, feeds, updates,
            )  # fmt: skip

        if isinstance(feed_previous, bool):
            return decode(feed_previous, True)
        return _either(feed_previous, lambda feeds: decode(feeds, False), state)


def embedding_tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: Optional[int] = None,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Optional[DTypeLike] = None,
    scope: Any = None,
) -> Decoded:
    """`tied_rnn_seq2seq` over symbols, with one embedding for both sides.

    Args:
        encoder_inputs: For each time step the symbols, [batch].
        decoder_inputs: For each time step the symbols, [batch].
        cell: A recurrent cell.
        num_symbols: The number of symbols.
        embedding_size: The size of an embedding.
        num_decoder_symbols: The number of symbols that outputs tell apart, by default all.
        output_projection: (weights, biases) that turn an output into logits; None where a variable
            is to do it, so that the outputs are logits.
        feed_previous: Whether each step of the decoder but the first takes the most likely symbol
            of the last one; a bool, or a scalar.
        dtype: The dtype of the first state, by default that of the scope.
        scope: The scope of the variables, by default "embedding_tied_rnn_seq2seq".

    Returns:
        The outputs of the decoder, and its last state.

    Raises:
        ValueError: The projection has the wrong shape.
    """
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as entered:
        kind = entered.dtype
        check_projection(output_projection, num_symbols, kind)
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype=kind)
        sources = [embedding_lookup(embedding, symbols) for symbols in encoder_inputs]
        targets = [embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
        if output_projection is None:
            count = num_symbols if num_decoder_symbols is None else num_decoder_symbols
            cell = OutputProjectionWrapper(cell, count)

        def decode(feeds: bool, updates: bool) -> Decoded:
            loop = None
            if feeds:
                loop = extract_argmax_and_embed(embedding, output_projection, updates)
            return tied_rnn_seq2seq(sources, targets, cell, loop, kind)

        if isinstance(feed_previous, bool):
            return decode(feed_previous, True)
        return _either(feed_previous, lambda feeds: decode(feeds, False), cell.state_size)


def embedding_attention_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Optional[DTypeLike] = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:
    """`embedding_rnn_seq2seq` whose decoder attends to the outputs of the encoder.

    Args:
        encoder_inputs: For each time step the symbols, [batch].
        decoder_inputs: For each time step the symbols, [batch].
        cell: A recurrent cell.
        num_encoder_symbols: The number of symbols of the encoder.
        num_decoder_symbols: The number of symbols of the decoder.
        embedding_size: The size of an embedding.
        num_heads: How many times the decoder attends in a step.
        output_projection: (weights, biases) that turn an output into logits; None where variables
            are to do it, so that the outputs are logits.
        feed_previous: Whether each step of the decoder but the first takes the most likely symbol
            of the last one; a bool, or a scalar.
        dtype: The dtype of the first state and of variables, by default that of the scope.
        scope: The scope of the variables, by default "embedding_attention_seq2seq".
        initial_state_attention: Whether the first step looks at what the initial state attends to.

    Returns:
        The outputs of the decoder, and its last state.
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as entered:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        outputs, state = static_rnn(encoder, encoder_inputs, dtype=entered.dtype)
        attention_states = attention_states_of(outputs, cell.output_size)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feeds: bool, updates: bool) -> Decoded:
            return embedding_attention_decoder(
                decoder_inputs, state, attention_states, cell, num_decoder_symbols, embedding_size,
                num_heads, output_size, output_projection, feeds, updates,
                initial_state_attention=initial_state_attention,
            )  # fmt: skip

        if isinstance(feed_previous, bool):
            return decode(feed_previous, True)
        return _either(feed_previous, lambda feeds: decode(feeds, False), state)


def one2many_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs_dict: Dict[str, Sequence[Any]],
    enc_cell: Any,
    dec_cells_dict: Dict[str, Any],
    num_encoder_symbols: int,
    num_decoder_symbols_dict: Dict[str, int],
    embedding_size: int,
    feed_previous: Any = False,
    dtype: Optional[DTypeLike] = None,
    scope: Any = None,
) -> Tuple[Dict[str, List[Any]], Dict[str, Any]]:
    """Encodes a sequence of symbols once, and decodes several others (Luong et al., 2015).

    Args:
        encoder_inputs: For each time step the symbols, [batch].
        decoder_inputs_dict: Such inputs of decoders, by their names.
        enc_cell: The cell of the encoder.
        dec_cells_dict: The cells of the decoders, by their names.
        num_encoder_symbols: The number of symbols of the encoder.
        num_decoder_symbols_dict: The number of symbols of each decoder, by their names.
        embedding_size: The size of an embedding.
        feed_previous: Whether each step of a decoder but the first takes the most likely symbol of
            the last one; a bool, or a scalar.
        dtype: The dtype of the first state and of variables, by default that of the scope.
        scope: The scope of the variables, by default "one2many_rnn_seq2seq".

    Returns:
        The outputs of the decoders, and their last states, by their names.

    Raises:
        TypeError: One of the cells is none.
        ValueError: The names of the cells are not those of the inputs.
    """
    if not isinstance(enc_cell, RNNCell):
        raise TypeError(f"enc_cell is not an RNNCell: {type(enc_cell)}")
    if set(dec_cells_dict) != set(decoder_inputs_dict):
        raise ValueError("keys of dec_cells_dict != keys of decoder_inputs_dict")
    for cell in dec_cells_dict.values():
        if not isinstance(cell, RNNCell):
            raise TypeError(f"dec_cell is not an RNNCell: {type(cell)}")
    outputs: Dict[str, List[Any]] = {}
    states: Dict[str, Any] = {}
    with variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as entered:
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=entered.dtype)
        for name, inputs in decoder_inputs_dict.items():
            with variable_scope(f"one2many_decoder_{name}"):
                outputs[name], states[name] = _decode_one(
                    inputs, state, dec_cells_dict[name], num_decoder_symbols_dict[name],
                    embedding_size, feed_previous,
                )  # fmt: skip
    return outputs, states


def _decode_one(
    inputs: Sequence[Any], state: Any, cell: Any, symbols: int, size: int, feed_previous: Any
) -> Decoded:
    projected = OutputProjectionWrapper(cell, symbols)

    def decode(feeds: bool) -> Decoded:
        return embedding_rnn_decoder(inputs, state, projected, symbols, size, feed_previous=feeds)

    if isinstance(feed_previous, bool):
        return decode(feed_previous)
    return _either(feed_previous, decode, state)


def _either(feed_previous: Any, decode: Callable[[bool], Decoded], like: Any) -> Decoded:
    """A decoder that feeds previous outputs or does not, with the same variables, as a step says.

    Args:
        feed_previous: A scalar.
        decode: The decoder, which is called for both.
        like: What has the structure of the state.

    Returns:
        The outputs and the last state.
    """

    def flat(feeds: bool) -> List[Any]:
        with variable_scope(get_variable_scope(), reuse=None if feeds else True):
            outputs, state = decode(feeds)
            return [*outputs, *nest.flatten(state)]

    results = cond(feed_previous, lambda: flat(True), lambda: flat(False))
    count = len(results) - len(nest.flatten(like))
    return results[:count], nest.pack_sequence_as(like, results[count:])
