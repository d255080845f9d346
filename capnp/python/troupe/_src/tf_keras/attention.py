"""Layers in which the places of one sequence attend to those of another."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from troupe._src.nn.nn_ops import softmax
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

_Layer: Any = keras_module("layers").Layer

# What is added to the scores of places that nobody may attend to.
_HIDDEN = -1e9


class _DenseAttention(_Layer):  # type: ignore[misc]
    """What both kinds share: masks, and sums of values weighted by the softmax of scores."""

    def __init__(self, causal: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.causal = causal
        self.supports_masking = True

    def _scores(self, query: Any, key: Any) -> Any:
        raise NotImplementedError

    def call(self, inputs: List[Any], mask: Optional[List[Any]] = None) -> Any:
        """The values that each place of the query attends to, [batch, Tq, dim]."""
        self._check(inputs, mask)
        query, value = inputs[:2]
        query_mask, value_mask = mask or (None, None)
        scores = self._scores(query, inputs[-1])
        seen = None if value_mask is None else array_ops.expand_dims(value_mask, -2)
        if self.causal:
            earlier = self._earlier(scores)
            seen = earlier if seen is None else gen_ops.logical_and(seen, earlier)
        if seen is not None:
            scores += _HIDDEN * math_ops.cast(gen_ops.logical_not(seen), scores.dtype)
        result = math_ops.matmul(softmax(scores), value)
        if query_mask is not None:
            result *= math_ops.cast(array_ops.expand_dims(query_mask, -1), result.dtype)
        return result

    @staticmethod
    def _earlier(scores: Any) -> Any:
        """Whether a place of the value is not behind that of the query, [1, Tq, Tv]."""
        shape = array_ops.shape(scores)
        rows = array_ops.expand_dims(math_ops.range(shape[-2]), 1)
        return array_ops.expand_dims(rows >= math_ops.range(shape[-1]), 0)

    def compute_mask(self, inputs: List[Any], mask: Optional[List[Any]] = None) -> Any:
        """That of the query."""
        self._check(inputs, mask)
        return mask[0] if mask else None

    def compute_output_shape(self, input_shape: List[Tuple[Optional[int], ...]]) -> Any:
        """Places as the query has, values as wide as those of the value."""
        return (*input_shape[0][:-1], input_shape[1][-1])

    def _check(self, inputs: Any, mask: Any) -> None:
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise ValueError(
                f"{name} layer must be called on a list of inputs, namely [query, value] or "
                "[query, value, key]."
            )
        if len(inputs) not in (2, 3):
            raise ValueError(
                f"{name} layer accepts inputs list of length 2 or 3, namely [query, value] or "
                f"[query, value, key]. Given length: {len(inputs)}"
            )
        if mask and (not isinstance(mask, list) or len(mask) < 2 or len(mask) > len(inputs)):
            raise ValueError(f"{name} layer mask must be a list, namely [query_mask, value_mask].")

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a layer again."""
        return {**super().get_config(), "causal": self.causal}


class _ScaledAttention(_DenseAttention):
    def __init__(self, use_scale: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale
        self.scale = None

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a layer again."""
        return {**super().get_config(), "use_scale": self.use_scale}


@set_module("troupe.keras.layers")
class Attention(_ScaledAttention):
    """Attention by products of queries and keys (Luong et al., 2015).

    Called with [query, value] or [query, value, key], of the shapes [batch, Tq, dim],
    [batch, Tv, dim] and [batch, Tv, dim]; masks are bools [batch, Tq] and [batch, Tv]. As
    TensorFlow 1.15's layer of the name.

    Args:
        use_scale: Whether a weight scales the scores.
        **kwargs: `causal`: whether no place attends to later ones; and those of layers.

    Raises:
        ValueError: It is called with something else.
    """

    def __init__(self, use_scale: bool = False, **kwargs: Any) -> None:
        super().__init__(use_scale, **kwargs)

    def build(self, input_shape: Any) -> None:
        """Makes the scale."""
        if self.use_scale:
            self.scale = self.add_weight(name="scale", shape=(), initializer="ones")
        self.built = True

    def _scores(self, query: Any, key: Any) -> Any:
        scores = math_ops.matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale


@set_module("troupe.keras.layers")
class AdditiveAttention(_ScaledAttention):
    """Attention by tanh of sums of queries and keys (Bahdanau et al., 2015).

    Called with [query, value] or [query, value, key], of the shapes [batch, Tq, dim],
    [batch, Tv, dim] and [batch, Tv, dim]; masks are bools [batch, Tq] and [batch, Tv]. As
    TensorFlow 1.15's layer of the name.

    Args:
        use_scale: Whether weights, one for each of dim, scale the terms of the scores.
        **kwargs: `causal`: whether no place attends to later ones; and those of layers.

    Raises:
        ValueError: It is called with something else.
    """

    def __init__(self, use_scale: bool = True, **kwargs: Any) -> None:
        super().__init__(use_scale, **kwargs)

    def build(self, input_shape: Any) -> None:
        """Makes the scales."""
        if self.use_scale:
            self.scale = self.add_weight(
                name="scale", shape=(input_shape[1][-1],), initializer="glorot_uniform"
            )
        self.built = True

    def _scores(self, query: Any, key: Any) -> Any:
        terms = gen_ops.tanh(array_ops.expand_dims(query, 2) + array_ops.expand_dims(key, 1))
        return math_ops.reduce_sum(terms if self.scale is None else terms * self.scale, -1)
