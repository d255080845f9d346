"""Distributions of how often each class is drawn."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.control_flow.functional import map_fn
from troupe._src.distributions.arguments import (
    VectorDistribution,
    checked,
    integers,
    logits_and_probs,
    gen_new_seed,
)
from troupe._src.distributions.dirichlet import Dirichlet
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.diagonal_ops import matrix_set_diag
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, assert_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import lbeta
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import multinomial, random_gamma
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


class _Counts(VectorDistribution):
    """One of counts of classes, whose sum is `total_count`."""

    _total_count: Tensor

    @property
    def total_count(self) -> Tensor:
        """How many are drawn for a sample."""
        return self._total_count

    def _valid(self, counts: Tensor) -> Tensor:
        if not self.validate_args:
            return counts
        counts = integers(counts)
        text = "counts must sum to `self.total_count`"
        total = math_ops.reduce_sum(counts, -1)
        return checked(counts, assert_ops.assert_equal(self.total_count, total, message=text))

    def _log_orders(self, counts: Tensor) -> Tensor:
        """The logarithm of the number of orders in which such counts are drawn."""
        of_counts = math_ops.reduce_sum(gen_ops.lgamma(counts + 1.0), -1)
        return gen_ops.lgamma(self.total_count + 1.0) - of_counts


@set_module("troupe.distributions")
class Multinomial(_Counts):
    """Distributions of how often each class is drawn."""

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        """Distributions of so many draws.

        Args:
            total_count: How many are drawn, floats, in the shape of the batch.
            logits: The logarithms of the probabilities, up to a number for each distribution; the
                last axis is that of classes.
            probs: The probabilities, instead of the logits.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args)
            count = convert_to_tensor(total_count, preferred_dtype=self._probs.dtype)
            self._total_count = integers(count) if validate_args else count
            self._means = array_ops.expand_dims(self._total_count, -1) * self._probs
        super().__init__(
            self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._total_count, self._logits, self._probs], scope,
        )  # fmt: skip

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities, up to a number for each distribution."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs

    def _shaped(self) -> Tensor:
        return self._means

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        classes = self.event_shape_tensor()[0]
        ones = creation_ops.ones_like(self._means)
        logits = array_ops.reshape(self.logits * ones, array_ops.stack([-1, classes]))
        counts = math_ops.cast(self.total_count * ones[..., 0], dtypes.int32)

        def draw(given: Any) -> Tensor:
            row, count = given
            drawn = multinomial(array_ops.expand_dims(row, 0), n * count, seed)
            rows = array_ops.reshape(drawn, array_ops.stack([n, count]))
            return math_ops.reduce_sum(creation_ops.one_hot(rows, classes, dtype=self.dtype), -2)

        # [batch, samples, classes]: each batch member draws another number of classes.
        drawn = map_fn(draw, [logits, array_ops.reshape(counts, [-1])], dtype=self.dtype)
        return array_ops.reshape(
            array_ops.transpose(drawn, [1, 0, 2]),
            array_ops.concat([[n], self.batch_shape_tensor(), [classes]], 0),
        )

    def _log_prob(self, value: Tensor) -> Tensor:
        counts = self._valid(value)
        logs = math_ops.reduce_sum(counts * nn_ops.log_softmax(self.logits), -1)
        return logs + self._log_orders(counts)

    def _mean(self) -> Tensor:
        return array_ops.identity(self._means)

    def _variance(self) -> Tensor:
        return self._means * (1.0 - self.probs)

    def _covariance(self) -> Tensor:
        probs = self.probs + creation_ops.zeros_like(self._means)
        outer = array_ops.expand_dims(self._means, -1) * array_ops.expand_dims(probs, -2)
        return matrix_set_diag(-outer, self._variance())


@set_module("troupe.distributions")
class DirichletMultinomial(_Counts):
    """Distributions of how often each class is drawn, by probabilities that are drawn, too."""

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        """Distributions of so many draws.

        Args:
            total_count: How many are drawn, floats, in the shape of the batch.
            concentration: The weights of the Dirichlet distribution that the probabilities are
                drawn from; the last axis is that of classes.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._dirichlet = Dirichlet(concentration, validate_args)
            count = convert_to_tensor(total_count, preferred_dtype=self._dirichlet.dtype)
            self._total_count = integers(count) if validate_args else count
            self._means = self._counts_of_moments() * self._dirichlet.mean()
        super().__init__(
            self._dirichlet.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._total_count, self._dirichlet.concentration], scope,
        )  # fmt: skip

    @property
    def concentration(self) -> Tensor:
        """The weights."""
        return self._dirichlet.concentration

    @property
    def total_concentration(self) -> Tensor:
        """The sums of the weights."""
        return self._dirichlet.total_concentration

    def _shaped(self) -> Tensor:
        return self._means

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        seed_of_counts = gen_new_seed(seed, "dirichlet_multinomial")
        if self.total_count.shape.rank == 0:
            return self._drawn_alike(n, seed, seed_of_counts)
        counts = array_ops.expand_dims(self.total_count, -1)
        weights = self.concentration + creation_ops.zeros_like(counts)
        probs = Dirichlet(weights).sample(n, seed=seed)
        drawn = Multinomial(self.total_count, probs=probs).sample(seed=seed_of_counts)
        return convert_to_tensor(drawn)

    def _drawn_alike(self, n: Any, seed: Optional[int], seed_of_counts: Optional[int]) -> Tensor:
        """Samples of one number of draws, with TensorFlow's numbers of the seed."""
        size = self.event_shape_tensor()[0]
        drawn = random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        logits = array_ops.reshape(gen_ops.log(drawn), array_ops.stack([-1, size]))
        draws = math_ops.cast(self.total_count, dtypes.int32)
        chosen = multinomial(logits, draws, seed=seed_of_counts)
        counts = math_ops.reduce_sum(creation_ops.one_hot(chosen, size, dtype=self.dtype), -2)
        shape = array_ops.concat([[n], self.batch_shape_tensor(), [size]], 0)
        return array_ops.reshape(counts, shape)

    def _log_prob(self, value: Tensor) -> Tensor:
        counts = self._valid(value)
        ratio = lbeta(self.concentration + counts) - lbeta(self.concentration)
        return ratio + self._log_orders(counts)

    def _mean(self) -> Tensor:
        return array_ops.identity(self._means)

    def _counts_of_moments(self) -> Tensor:
        """The counts with an axis for the classes; those of the weights' rank may have it."""
        rank, weights = self._total_count.shape.rank, self._dirichlet.concentration.shape.rank
        if rank is not None and rank == weights and self._total_count.shape[-1].value == 1:
            return self._total_count
        return array_ops.expand_dims(self._total_count, -1)

    def _spread(self) -> Tensor:
        """What the variance of a multinomial distribution is multiplied by."""
        total = array_ops.expand_dims(self.total_concentration, -1)
        return (self._counts_of_moments() + total) / (1.0 + total)

    def _variance(self) -> Tensor:
        return self._means * (1.0 - self._dirichlet.mean()) * self._spread()

    def _covariance(self) -> Tensor:
        probs = self._dirichlet.mean() + creation_ops.zeros_like(self._means)
        outer = array_ops.expand_dims(self._means * self._spread(), -1) * array_ops.expand_dims(
            probs, -2
        )
        return matrix_set_diag(-outer, self._variance())
