"""Attention that never goes back to a step of the memory before the one that it attended to."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from troupe._src.control_flow.functional import scan
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, clip_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.segment_ops import cumprod, cumsum
from troupe._src.random.random_ops import random_normal
from troupe._src.seq2seq.attention import (
    BaseAttentionMechanism,
    bahdanau_score,
    bahdanau_variables,
    dense_layer,
    luong_scale,
    luong_score,
)
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable


def safe_cumprod(x: TensorLike, *args: Any, **kwargs: Any) -> Tensor:
    """`tf.math.cumprod` of numbers in [0, 1], by the sum of their logarithms.

    Numbers below the least normal one are taken for it, so that gradients are finite.

    Args:
        x: Floats of rank 1 or more.
        *args: What else `tf.math.cumprod` takes: axis, exclusive, reverse.
        **kwargs: The same by name.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    with get_default_graph().name_scope("SafeCumprod"):
        tensor = convert_to_tensor(x, name="x")
        tiny = np.finfo(tensor.dtype.as_numpy_dtype).tiny
        logarithms = gen_ops.log(clip_ops.clip_by_value(tensor, tiny, 1))
        return gen_ops.exp(cumsum(logarithms, *args, **kwargs))


def monotonic_attention(p_choose_i: TensorLike, previous_attention: TensorLike, mode: str) -> Any:
    """The alignments of a search that begins where the one before ended (Raffel et al., 2017).

    The search goes through the memory from there, and ends at a step with its probability.

    Args:
        p_choose_i: The probability that the search ends at a step when it comes there, [batch,
            time].
        previous_attention: The alignments of the search before, [batch, time]; before the first
            one 1 at the first step, 0 elsewhere.
        mode: "recursive" adds up the probabilities step by step, which is exact and slow;
            "parallel" does that by products and sums of all, which is not exact where a
            probability is close to 0 or 1; "hard" is for probabilities of 0 and 1 only.

    Returns:
        The probability that the search ends at each step, [batch, time].

    Raises:
        ValueError: There is no such mode.
    """
    ends = convert_to_tensor(p_choose_i, name="p_choose_i")
    before = convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        return _recursive(ends, before)
    if mode == "parallel":
        goes_on = safe_cumprod(1 - ends, axis=1, exclusive=True)
        # The bound keeps the quotient finite.
        begins = cumsum(before / clip_ops.clip_by_value(goes_on, 1e-10, 1.0), axis=1)
        return ends * goes_on * begins
    if mode == "hard":
        ends = ends * cumsum(before, axis=1)
        return ends * cumprod(1 - ends, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _recursive(ends: Tensor, before: Tensor) -> Tensor:
    batch = ends.shape[0].value or array_ops.shape(ends)[0]
    ones = creation_ops.ones(array_ops.stack([batch, 1]), ends.dtype)
    goes_on = array_ops.concat([ones, 1 - ends[:, :-1]], 1)

    def comes(probability: Tensor, step: Any) -> Tensor:
        """The probability that the search comes to a step, by that of the step before."""
        return array_ops.reshape(step[0] * probability + step[1], array_ops.stack([batch]))

    start = creation_ops.zeros(array_ops.stack([batch]), ends.dtype)
    steps = [array_ops.transpose(goes_on), array_ops.transpose(before)]
    return ends * array_ops.transpose(scan(comes, steps, start))


def _probability_fn(noise: float, mode: str, seed: Optional[int]) -> Callable[[Any, Any], Any]:
    """The alignments of scores and of the alignments before; noise of that deviation is added."""

    def probabilities(score: Tensor, before: Any) -> Any:
        if noise > 0:
            drawn = random_normal(array_ops.shape(score), dtype=score.dtype, seed=seed)
            score = score + noise * drawn
        if mode == "hard":
            return monotonic_attention(math_ops.cast(score > 0, score.dtype), before, mode)
        return monotonic_attention(gen_ops.sigmoid(score), before, mode)

    return probabilities


class _MonotonicAttention(BaseAttentionMechanism):
    """A mechanism whose first alignments are at the first step, and whose scores have a bias."""

    _score_bias_init: Any = 0.0

    def initial_alignments(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """The alignments before the first step: 1 at the first step of the memory, 0 elsewhere.

        Args:
            batch_size: The number of queries, an int or a tensor.
            dtype: The dtype of the alignments.

        Returns:
            A tensor [batch, time] of the memory.
        """
        firsts = creation_ops.zeros([batch_size], dtypes.int32)
        return creation_ops.one_hot(firsts, self._alignments_size, dtype=dtype)

    def _biased(self, score: Tensor) -> Tensor:
        """The scores, with the variable of this scope added."""
        return score + get_variable(
            "attention_score_bias", dtype=score.dtype, initializer=self._score_bias_init
        )


@set_module("troupe.contrib.seq2seq")
class BahdanauMonotonicAttention(_MonotonicAttention):
    """Attention with the scores of `BahdanauAttention` and a bias, which never goes back.

    Args:
        num_units: The size of the keys and of queries behind their layer.
        memory: [batch, time, ...], often the outputs of an encoder.
        memory_sequence_length: The steps of each memory, [batch].
        normalize: Whether the weights have a norm of their own.
        score_mask_value: The score of steps behind the end of a memory, by default -inf.
        sigmoid_noise: The standard deviation of what is added to scores, to make a training
            prefer great ones; 0 for nothing.
        sigmoid_noise_seed: The seed of that.
        score_bias_init: The first value of the bias, a variable.
        mode: That of `monotonic_attention`; with "hard" scores above 0 end a search.
        dtype: The dtype of keys and queries, by default float32.
        name: The scope of its nodes.
    """

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Optional[TensorLike] = None,
        normalize: bool = False, score_mask_value: Any = None, sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: Optional[int] = None, score_bias_init: Any = 0.0,
        mode: str = "parallel", dtype: Optional[DTypeLike] = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:  # fmt: skip
        super().__init__(
            query_layer=dense_layer(num_units, "query_layer", dtype),
            memory=memory,
            probability_fn=_probability_fn(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            memory_layer=dense_layer(num_units, "memory_layer", dtype),
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._normalize, self._name = num_units, normalize, name
        self._score_bias_init = score_bias_init

    def _score(self, query: Tensor) -> Tensor:
        with variable_scope(None, "bahdanau_monotonic_attention"):
            compared = self.query_layer(query)
            variables = bahdanau_variables(self._num_units, self._normalize, query.dtype)
            return self._biased(bahdanau_score(compared, self.keys, *variables))


@set_module("troupe.contrib.seq2seq")
class LuongMonotonicAttention(_MonotonicAttention):
    """Attention with the scores of `LuongAttention` and a bias, which never goes back.

    Args:
        num_units: The size of the keys, which is that of queries.
        memory: [batch, time, ...], often the outputs of an encoder.
        memory_sequence_length: The steps of each memory, [batch].
        scale: Whether a variable scales the scores.
        score_mask_value: The score of steps behind the end of a memory, by default -inf.
        sigmoid_noise: The standard deviation of what is added to scores, to make a training
            prefer great ones; 0 for nothing.
        sigmoid_noise_seed: The seed of that.
        score_bias_init: The first value of the bias, a variable.
        mode: That of `monotonic_attention`; with "hard" scores above 0 end a search.
        dtype: The dtype of the keys, by default float32.
        name: The scope of its nodes.
    """

    def __init__(
        self, num_units: int, memory: Any, memory_sequence_length: Optional[TensorLike] = None,
        scale: bool = False, score_mask_value: Any = None, sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: Optional[int] = None, score_bias_init: Any = 0.0,
        mode: str = "parallel", dtype: Optional[DTypeLike] = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:  # fmt: skip
        super().__init__(
            query_layer=None,
            memory=memory,
            probability_fn=_probability_fn(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            memory_layer=dense_layer(num_units, "memory_layer", dtype),
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._scale, self._name = num_units, scale, name
        self._score_bias_init = score_bias_init

    def _score(self, query: Tensor) -> Tensor:
        with variable_scope(None, "luong_monotonic_attention"):
            scale = luong_scale(self._scale, query.dtype)
            return self._biased(luong_score(query, self.keys, scale))
