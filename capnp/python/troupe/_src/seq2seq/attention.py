"""Attention: how much of each step of a memory a query asks for."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np

from troupe._src.control_flow import nest
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.base import Layer
from troupe._src.layers.core import Dense
from troupe._src.nn.nn_ops import softmax
from troupe._src.ops import (
    array_ops,
    creation_ops,
    gen_ops,
    math_ops,
    reduction_ops,
    selection_ops,
)
from troupe._src.ops.assert_ops import assert_positive
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import sequence_mask
from troupe._src.rnn.sizes import zeros_of
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.variables.initializers import Constant, Ones, Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable


@set_module("troupe.contrib.seq2seq")
class AttentionMechanism:
    """What an `AttentionWrapper` asks for the alignments of a query, and for its memory."""

    @property
    def alignments_size(self) -> Any:
        """The number of steps of the memory, or a tensor of it."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """The sizes of its state."""
        raise NotImplementedError


class BaseAttentionMechanism(AttentionMechanism):
    """A memory whose steps have keys to compare queries to, and values.

    Args:
        query_layer: The layer of queries, or None.
        memory: [batch, time, ...], often the outputs of an encoder.
        probability_fn: Of scores, [batch, time], and the state; gives the alignments.
        memory_sequence_length: The steps of each memory, [batch]. Others are zeros, and have the
            score of `score_mask_value`.
        memory_layer: The layer that makes the keys, or None: the values are the keys.
        check_inner_dims_defined: Whether sizes behind the time must be known.
        score_mask_value: By default minus infinity.
        custom_key_value_fn: Of keys and values; gives others.
        name: The scope of its nodes.
    """

    def __init__(
        self, query_layer: Any, memory: Any, probability_fn: Callable[..., Any],
        memory_sequence_length: Optional[TensorLike] = None, memory_layer: Any = None,
        check_inner_dims_defined: bool = True, score_mask_value: Any = None,
        custom_key_value_fn: Optional[Callable[..., Any]] = None, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        for layer, role in ((query_layer, "query_layer"), (memory_layer, "memory_layer")):
            if layer is not None and not isinstance(layer, Layer):
                raise TypeError(f"{role} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(
                f"probability_fn must be callable, saw type: {type(probability_fn).__name__}"
            )
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self._given_probability = probability_fn
        self._mask_value = -np.inf if score_mask_value is None else score_mask_value
        with get_default_graph().name_scope(name or "BaseAttentionMechanismInit"):
            self._lengths = None
            if memory_sequence_length is not None:
                self._lengths = convert_to_tensor(
                    memory_sequence_length, name="memory_sequence_length"
                )
            memory = nest.map_structure(convert_to_tensor, memory)
            for each in nest.flatten(memory) if check_inner_dims_defined else []:
                if not each.shape[2:].is_fully_defined():
                    raise ValueError(
                        f"Expected memory {each.name} to have fully defined inner dims, but saw "
                        f"shape: {each.shape}"
                    )
            self._values = nest.map_structure(self._masked, memory)
            self._keys = self._values if memory_layer is None else memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            sizes = array_ops.shape(self._keys)
            self._batch_size = self._keys.shape[0].value or sizes[0]
            self._alignments_size = self._keys.shape[1].value or sizes[1]
        self.dtype = as_dtype((memory_layer or self._keys).dtype)

    def _masked(self, memory: Tensor) -> Tensor:
        if self._lengths is None:
            return memory
        mask = sequence_mask(self._lengths, array_ops.shape(memory)[1], memory.dtype)
        rank = memory.shape.rank
        others = (gen_ops.rank(memory) if rank is None else rank) - 2
        ones = creation_ops.ones([others], dtypes.int32)
        return memory * array_ops.reshape(mask, array_ops.concat([array_ops.shape(mask), ones], 0))

    def _probability_fn(self, score: Tensor, state: Any) -> Any:
        """The alignments of scores, in which no step behind the end of a memory takes part."""
        if self._lengths is not None:
            check = assert_positive(
                self._lengths,
                message="All values in memory_sequence_length must be greater than zero.",
            )
            with get_default_graph().control_dependencies([check]):
                mask = sequence_mask(self._lengths, array_ops.shape(score)[1])
            value = convert_to_tensor(self._mask_value, score.dtype)
            values = creation_ops.fill(array_ops.shape(score), value)
            score = selection_ops.where(mask, score, values)
        return self._given_probability(score, state)

    @property
    def memory_layer(self) -> Any:
        """The layer that makes the keys, or None."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """The layer of queries, or None."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """The memory, with zeros behind the ends."""
        return self._values

    @property
    def keys(self) -> Any:
        """What queries are compared to, [batch, time, units]."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """The number of memories, an int where it is known, or else a tensor."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """The alignments before the first step, by default zeros.

        Args:
            batch_size: The number of queries, an int or a tensor.
            dtype: The dtype of the alignments.

        Returns:
            A tensor [batch, time] of the memory.
        """
        return zeros_of(batch_size, self._alignments_size, dtype)

    def initial_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """The state before the first step, by default the alignments before it.

        Args:
            batch_size: The number of queries, an int or a tensor.
            dtype: The dtype of the state.

        Returns:
            The state, of the sizes of `state_size`.
        """
        return self.initial_alignments(batch_size, dtype)

    def __call__(self, query: Any, state: Any) -> Any:
        """How much of each step of the memory a query asks for.

        Args:
            query: [batch, units], often the output of a cell.
            state: The state of the step before, or that of `initial_state`.

        Returns:
            (alignments, next state), the first ones [batch, time] of the memory.
        """
        score = self._score(query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments

    def _score(self, query: Tensor) -> Tensor:
        raise NotImplementedError


def _stateless(given: Optional[Callable[[Any], Any]]) -> Callable[[Any, Any], Any]:
    function = given or softmax
    return lambda score, state: function(score)


def dense_layer(units: int, name: str, dtype: Optional[DTypeLike]) -> Dense:
    """A layer without a bias, by default of float32."""
    return Dense(units, name=name, use_bias=False, dtype=as_dtype(dtype or dtypes.float32))


def luong_score(query: Tensor, keys: Tensor, scale: Any) -> Tensor:
    """The products of a query and the keys, [batch, time].

    Raises:
        ValueError: They have not as many units.
    """
    if query.shape[-1].value is None or query.shape[-1].value != keys.shape[-1].value:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys. Query "
            f"({query}) has units: {query.shape[-1]}. Keys ({keys}) have units: "
            f"{keys.shape[-1]}. Perhaps you need to set num_units to the keys' dimension?"
        )
    products = math_ops.matmul(array_ops.expand_dims(query, 1), keys, transpose_b=True)
    score = array_ops.squeeze(products, [1])
    return score if scale is None else scale * score


def bahdanau_score(query: Tensor, keys: Tensor, v: Any, g: Any = None, b: Any = None) -> Tensor:
    """The sums over v * tanh(query + key), with v of the norm g and with b added in tanh."""
    both = keys + array_ops.expand_dims(query, 1)
    if g is None or b is None:
        return math_ops.reduce_sum(v * gen_ops.tanh(both), [2])
    normed = g * v * gen_ops.rsqrt(math_ops.reduce_sum(gen_ops.square(v)))
    return math_ops.reduce_sum(normed * gen_ops.tanh(both + b), [2])


@set_module("troupe.contrib.seq2seq")
class LuongAttention(BaseAttentionMechanism):
    """Attention whose scores are products of the query and the keys.

    Args:
        num_units: The size of the keys, which is that of queries.
        memory: [batch, time, ...], often the outputs of an encoder.
        memory_sequence_length: The steps of each memory, [batch].
        scale: Whether a variable scales the scores.
        probability_fn: Of scores; gives the alignments, by default by `tf.nn.softmax`.
        score_mask_value: The score of steps behind the end of a memory, by default -inf.
        dtype: The dtype of the keys, by default float32.
        custom_key_value_fn: Of keys and values; gives others.
        name: The scope of its nodes.
    """

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Optional[TensorLike] = None,
        scale: bool = False, probability_fn: Optional[Callable[[Any], Any]] = None,
        score_mask_value: Any = None, dtype: Optional[DTypeLike] = None,
        custom_key_value_fn: Optional[Callable[..., Any]] = None, name: str = "LuongAttention",
    ) -> None:  # fmt: skip
        super().__init__(
            query_layer=None,
            memory=memory,
            probability_fn=_stateless(probability_fn),
            memory_sequence_length=memory_sequence_length,
            memory_layer=dense_layer(num_units, "memory_layer", dtype),
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units, self._scale, self._name = num_units, scale, name

    def _score(self, query: Tensor) -> Tensor:
        with variable_scope(None, "luong_attention"):
            return luong_score(query, self.keys, luong_scale(self._scale, query.dtype))


def luong_scale(has_scale: bool, dtype: DTypeLike) -> Any:
    """The variable that scales scores in this scope, or None."""
    if not has_scale:
        return None
    return get_variable("attention_g", shape=[], dtype=dtype, initializer=Ones())


@set_module("troupe.contrib.seq2seq")
class BahdanauAttention(BaseAttentionMechanism):
    """Attention whose scores are weighted sums over tanh(query + key).

    Args:
        num_units: The size of the keys and of queries behind their layer.
        memory: [batch, time, ...], often the outputs of an encoder.
        memory_sequence_length: The steps of each memory, [batch].
        normalize: Whether the weights have a norm of their own.
        probability_fn: Of scores; gives the alignments, by default by `tf.nn.softmax`.
        score_mask_value: The score of steps behind the end of a memory, by default -inf.
        dtype: The dtype of keys and queries, by default float32.
        custom_key_value_fn: Of keys and values; gives others.
        name: The scope of its nodes.
    """

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Optional[TensorLike] = None,
        normalize: bool = False, probability_fn: Optional[Callable[[Any], Any]] = None,
        score_mask_value: Any = None, dtype: Optional[DTypeLike] = None,
        custom_key_value_fn: Optional[Callable[..., Any]] = None, name: str = "BahdanauAttention",
    ) -> None:  # fmt: skip
        super().__init__(
            query_layer=dense_layer(num_units, "query_layer", dtype),
            memory=memory,
            probability_fn=_stateless(probability_fn),
            memory_sequence_length=memory_sequence_length,
            memory_layer=dense_layer(num_units, "memory_layer", dtype),
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units, self._normalize, self._name = num_units, normalize, name

    def _score(self, query: Tensor) -> Tensor:
        with variable_scope(None, "bahdanau_attention"):
            compared = self.query_layer(query)
            variables = bahdanau_variables(self._num_units, self._normalize, query.dtype)
            return bahdanau_score(compared, self.keys, *variables)


def bahdanau_variables(units: int, has_norm: bool, dtype: DTypeLike) -> Tuple[Any, ...]:
    """The weights v of this scope, and with a norm of their own that norm g and the bias b."""
    v = get_variable("attention_v", [units], dtype=dtype)
    if not has_norm:
        return (v,)
    norm = Constant(float(np.sqrt(1.0 / units)))
    g = get_variable("attention_g", shape=[], dtype=dtype, initializer=norm)
    return v, g, get_variable("attention_b", [units], dtype=dtype, initializer=Zeros())


def hardmax(logits: TensorLike, name: Optional[str] = None) -> Tensor:
    """1 at the greatest number of the last axis, 0 elsewhere.

    Args:
        logits: The numbers.
        name: The scope of its nodes.

    Returns:
        A tensor of their shape and dtype.
    """
    with get_default_graph().name_scope(name or "Hardmax"):
        given = convert_to_tensor(logits, name="logits")
        known = given.shape[-1].value if given.shape.rank else None
        depth = array_ops.shape(given)[-1] if known is None else known
        return creation_ops.one_hot(reduction_ops.argmax(given, -1), depth, dtype=given.dtype)
