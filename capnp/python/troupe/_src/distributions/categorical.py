"""Distributions of classes."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.distributions.arguments import (
    ScalarDistribution,
    checked,
    last_axis,
    logits_and_probs,
)
from troupe._src.distributions.divergences import RegisterKL
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.nn import nn_ops
from troupe._src.nn.cross_entropies import sparse_softmax_cross_entropy_with_logits
from troupe._src.ops import array_ops, assert_ops, creation_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import sequence_mask
from troupe._src.random.random_ops import multinomial
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape


@set_module("troupe.distributions")
class Categorical(ScalarDistribution):
    """Distributions of the numbers of classes."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        """Distributions of those logits or probabilities, whose last axis is that of classes.

        Args:
            logits: The logarithms of the probabilities, up to a number for each distribution.
            probs: The probabilities, instead of the logits.
            dtype: The dtype of samples.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args)
            size = last_axis(self._logits.shape)[1]
            if size.is_fully_defined():
                self._event_size = convert_to_tensor(size.as_list()[0], dtypes.int32)
            else:
                self._event_size = array_ops.shape(self._logits)[-1]
        super().__init__(
            dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._logits, self._probs], scope,
        )  # fmt: skip

    @property
    def event_size(self) -> Tensor:
        """The number of classes."""
        return self._event_size

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities, up to a number for each distribution."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs

    def _batch_shape_tensor(self) -> Tensor:
        return array_ops.shape(self.logits)[:-1]

    def _batch_shape(self) -> TensorShape:
        return last_axis(self.logits.shape)[0]

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        rows = array_ops.reshape(self.logits, array_ops.stack([-1, self._event_size]))
        drawn = multinomial(rows, n, seed=seed, output_dtype=dtypes.int32)
        found = array_ops.reshape(array_ops.transpose(drawn), self._draw_shape(n))
        return math_ops.cast(found, self.dtype)

    def _log_prob(self, value: Tensor) -> Tensor:
        classes, logits = self._broadcast(value, self.logits)
        return -sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits)

    def _cdf(self, value: Tensor) -> Tensor:
        classes, probs = self._broadcast(value, self.probs)
        below = sequence_mask(classes, self._event_size, probs.dtype)
        return math_ops.reduce_sum(probs * below, -1)

    def _broadcast(self, value: Tensor, parameters: Tensor) -> Tuple[Tensor, Tensor]:
        """The classes, and the parameters for each, in the shape of both together."""
        classes = math_ops.cast(value, dtypes.int32)
        if self.validate_args and value.dtype.is_floating:
            text = "Elements must be integers."
            whole = assert_ops.assert_equal(value, gen_ops.round(value), message=text)
            classes = checked(classes, whole)
        of_events = creation_ops.ones_like(array_ops.expand_dims(classes, -1), parameters.dtype)
        batch = creation_ops.ones_like(parameters[..., 0], dtypes.int32)
        return classes * batch, parameters * of_events

    def _entropy(self) -> Tensor:
        return -math_ops.reduce_sum(nn_ops.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self) -> Tensor:
        return math_ops.cast(reduction_ops.argmax(self.logits, axis=-1), self.dtype)


@RegisterKL(Categorical, Categorical)
def _kl_of_categoricals(a: Categorical, b: Categorical, name: Optional[str] = None) -> Tensor:
    with name_scope(name, "kl_categorical_categorical"):
        ratio = nn_ops.log_softmax(a.logits) - nn_ops.log_softmax(b.logits)
        return math_ops.reduce_sum(nn_ops.softmax(a.logits) * ratio, axis=-1)
