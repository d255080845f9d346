"""The parameters of distributions: their tensors, shapes and checks."""

from __future__ import annotations

import hashlib
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from troupe._src.checks.check_ops import assert_same_float_dtype
from troupe._src.distributions.distribution import Distribution
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, assert_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape, broadcast_static_shape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape, as_shape


class ScalarDistribution(Distribution):
    """One whose events are numbers, and whose batch has the shape of all parameters together."""

    def _shaping(self) -> Sequence[Tensor]:
        return self._graph_parents

    def _batch_shape_tensor(self) -> Tensor:
        sizes, *others = [array_ops.shape(each) for each in self._shaping()]
        for each in others:
            sizes = broadcast_dynamic_shape(sizes, each)
        return sizes

    def _batch_shape(self) -> TensorShape:
        shape, *others = [each.shape for each in self._shaping()]
        for each in others:
            shape = broadcast_static_shape(shape, each)
        return shape

    def _event_shape_tensor(self) -> Tensor:
        return convert_to_tensor([], dtypes.int32)

    def _event_shape(self) -> TensorShape:
        return as_shape([])

    def _in_batch(self, value: Any) -> Tensor:
        """In the shape of the batch."""
        found: Tensor = value + creation_ops.zeros(self.batch_shape_tensor(), value.dtype)
        return found

    def _draw_shape(self, count: Any) -> Tensor:
        return array_ops.concat([[count], self.batch_shape_tensor()], 0)


class VectorDistribution(Distribution):
    """One whose events are vectors, along the last axis of a tensor in the shape of the batch."""

    def _shaped(self) -> Tensor:
        raise NotImplementedError

    def _batch_shape_tensor(self) -> Tensor:
        return array_ops.shape(self._shaped())[:-1]

    def _batch_shape(self) -> TensorShape:
        return last_axis(self._shaped().shape)[0]

    def _event_shape_tensor(self) -> Tensor:
        return array_ops.shape(self._shaped())[-1:]

    def _event_shape(self) -> TensorShape:
        return last_axis(self._shaped().shape)[1]

    def _size(self) -> Tensor:
        """The length of the vectors, as a number of the dtype."""
        return math_ops.cast(self.event_shape_tensor()[0], self.dtype)


def checked(value: Any, *checks: Any) -> Tensor:
    """The value, in steps in which the checks succeed."""
    with control_dependencies(list(checks)):
        return array_ops.identity(value)


def floats(*values: Any, positive: Sequence[Any] = ()) -> Sequence[Tensor]:
    """Tensors of one dtype of floats, after a check that some of them are positive."""
    checks = [assert_ops.assert_positive(each) for each in positive]
    tensors = [checked(convert_to_tensor(each), *checks) for each in values]
    assert_same_float_dtype(tensors)
    return tensors


def where_defined(
    distribution: Distribution, conditions: Sequence[Tuple[Any, Any]], value: Any, text: str
) -> Tensor:
    """The value, and NaN or else an error where not each pair is in order, the lower one first."""
    if not distribution.allow_nan_stats:
        return checked(
            value,
            *[assert_ops.assert_less(low, high, message=text) for low, high in conditions],
        )
    holds = gen_ops.less(*conditions[0])
    for low, high in conditions[1:]:
        holds = gen_ops.logical_and(holds, gen_ops.less(low, high))
    nan = convert_to_tensor(np.nan, value.dtype)
    return where_v2(holds, value, creation_ops.fill(array_ops.shape(value), nan))


def one_of(dtype: Any) -> Tensor:
    """The number 1."""
    return convert_to_tensor(1, dtype)


def integers(value: Tensor) -> Tensor:
    """The value, checked to be integers that are not negative."""
    checks = [assert_ops.assert_non_negative(value, message="must be non-negative.")]
    if value.dtype.is_floating:
        text = "must have integer components."
        checks.append(assert_ops.assert_equal(value, gen_ops.round(value), message=text))
    return checked(value, *checks)


def logits_and_probs(
    logits: Any, probs: Any, of_classes: bool = False, validate_args: bool = False
) -> Tuple[Tensor, Tensor]:
    """Both of them, one of which is given; `of_classes` along the last axis."""
    if (probs is None) == (logits is None):
        raise ValueError("Must pass probs or logits, but not both.")
    is_given, text = (logits, "logits") if probs is None else (probs, "probs")
    given = convert_to_tensor(is_given, name=text)
    if not given.dtype.is_floating:
        raise TypeError(f"{text} must having floating type.")
    if probs is None:
        return given, nn_ops.softmax(given) if of_classes else gen_ops.sigmoid(given)
    if validate_args:
        given = _checked_probs(given, of_classes)
    return (
        gen_ops.log(given) if of_classes else gen_ops.log(given) - gen_ops.log1p(-given)
    ), given


def _checked_probs(probs: Tensor, of_classes: bool) -> Tensor:
    checks = [assert_ops.assert_non_negative(probs)]
    if of_classes:
        total = math_ops.reduce_sum(probs, -1)
        text = "probs does not sum to 1."
        checks.append(assert_ops.assert_near(total, one_of(probs.dtype), message=text))
    else:
        text = "probs has components greater than 1."
        checks.append(assert_ops.assert_less_equal(probs, one_of(probs.dtype), message=text))
    return checked(probs, *checks)


def gen_new_seed(seed: Any, salt: str) -> Optional[int]:
    """Another seed, by a text; None for None."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode()).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


def last_axis(shape: TensorShape) -> Tuple[TensorShape, TensorShape]:
    """The shape without its last axis, and that axis."""
    known = shape.with_rank_at_least(1)
    return known[:-1], known[-1:]
