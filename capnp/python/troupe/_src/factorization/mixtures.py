"""Mixtures of Gaussian distributions, by expectation and maximization."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import (
    arithmetic_ops,
    array_ops,
    gen_ops,
    math_ops,
    raw_ops,
    rearrange_ops,
    reduction_ops,
    selection_ops,
)
from troupe._src.ops.assert_ops import assert_less_equal
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign
from troupe._src.variables.variable import Variable

FULL_COVARIANCE, DIAG_COVARIANCE = "full", "diag"
_LEAST_VARIANCE = 1e-3  # is added, so that covariances have an inverse
_EPSILON = float(np.finfo(float).eps)


def covariance(x: Tensor, diag: bool) -> Tensor:
    """The covariance of rows.

    Args:
        x: The rows, [n, d].
        diag: Whether only the variance of each column is wanted.

    Returns:
        A tensor, [d, d], or [1, d] with `diag`.
    """
    count = math_ops.cast(array_ops.shape(x)[0], dtypes.float32)
    centered = x - math_ops.reduce_mean(x, 0, keepdims=True)
    if diag:
        return math_ops.reduce_sum(gen_ops.square(centered), 0, keepdims=True) / (count - 1.0)
    return math_ops.matmul(centered, centered, transpose_a=True) / (count - 1.0)


class _Shard(NamedTuple):
    """What is computed of one tensor of examples."""

    log_likelihoods: Tensor  # [n, 1]
    weights: Tensor  # of the classes, [n, classes]
    counts: Tensor  # [classes, 1, 1]
    sums: Tensor  # of examples, [classes, 1, d]
    products: Tensor  # sums of x x^T, [classes, d, d]


@set_module("troupe.contrib.factorization")
class GmmAlgorithm:
    """The graph of a mixture of Gaussian distributions, whose step takes all examples.

    Args:
        data: A list of examples as the rows of float32 [n, d].
        num_classes: How many distributions there are.
        initial_means: Their means to begin with, [classes, d]; None for random examples.
        params: What training changes: "w" for weights, "m" for means, "c" for covariances.
        covariance_type: "full" or "diag".
        random_seed: Makes the choice of means repeatable.

    Raises:
        ValueError: There is no such type of covariances.
    """

    CLUSTERS_WEIGHT = "alphas"
    CLUSTERS_VARIABLE = "clusters"
    CLUSTERS_COVS_VARIABLE = "clusters_covs"

    def __init__(
        self,
        data: Sequence[Any],
        num_classes: int,
        initial_means: Any = None,
        params: str = "wmc",
        covariance_type: str = FULL_COVARIANCE,
        random_seed: int = 0,
    ) -> None:
        if covariance_type not in (DIAG_COVARIANCE, FULL_COVARIANCE):
            raise ValueError(f"Invalid covariance type: {covariance_type}")
        self._is_diagonal = covariance_type == DIAG_COVARIANCE
        self._classes, self._params = num_classes, params
        examples = [convert_to_tensor(each) for each in data]
        self._sizes = array_ops.shape(examples[0])[1]
        none = constant([], dtypes.float32)
        self._means = Variable(none, name=self.CLUSTERS_VARIABLE, validate_shape=False)
        self._covs = Variable(none, name=self.CLUSTERS_COVS_VARIABLE, validate_shape=False)
        weights = np.full([num_classes], 1.0 / num_classes, np.float32)
        self._alpha = Variable(weights, name=self.CLUSTERS_WEIGHT)
        self._is_initialized = Variable(False, name="initialized")
        self._init_op = self._initialize(examples, initial_means, random_seed)
        self._shards = [self._of_shard(each) for each in examples]
        self._train_op = self._maximize()

    def init_ops(self) -> Any:
        """An op that chooses the first means and covariances, unless there are some."""
        return self._init_op

    def training_ops(self) -> Operation:
        """An op that changes what `params` says, by all examples."""
        return self._train_op

    def is_initialized(self) -> Variable:
        """Whether there are means and covariances."""
        return self._is_initialized

    def alphas(self) -> Variable:
        """The weights of the distributions, [classes]."""
        return self._alpha

    def clusters(self) -> Variable:
        """The means, [classes, 1, d]."""
        return self._means

    def covariances(self) -> Variable:
        """The covariances, [classes, d, d], or [classes, d] of type "diag"."""
        return self._covs

    def assignments(self) -> List[Tensor]:
        """For each tensor of examples the numbers of their likeliest distributions, [n]."""
        return [reduction_ops.argmax(shard.weights, 1) for shard in self._shards]

    def scores(self) -> Tensor:
        """The logarithm of the density at each example, [n, 1]."""
        return array_ops.concat([shard.log_likelihoods for shard in self._shards], 0)

    def log_likelihood_op(self) -> Tensor:
        """The logarithm of the sum of the densities at all examples, a scalar."""
        return reduction_ops.reduce_logsumexp(self.scores())

    def _initialize(self, data: List[Tensor], initial_means: Any, seed: int) -> Any:
        if initial_means is None:
            every = array_ops.concat(data, 0)
            count = array_ops.shape(every, out_type=dtypes.int64)[0]
            check = assert_less_equal(constant(self._classes, dtypes.int64), count)
            with get_default_graph().control_dependencies([check]):
                chosen = random_uniform([self._classes], 0, count, dtypes.int64, seed=seed)
            initial_means = selection_ops.gather(every, chosen)
        means = array_ops.expand_dims(convert_to_tensor(initial_means, dtypes.float32), 1)
        one = covariance(data[0], self._is_diagonal)
        one = one[0] + _LEAST_VARIANCE if self._is_diagonal else one + self._least()
        covs = array_ops.stack([one] * self._classes)

        def begin() -> Any:
            values = group(_set(self._means, means), _set(self._covs, covs))
            with get_default_graph().control_dependencies([values]):
                return group(assign(self._is_initialized, True))

        return cond(self._is_initialized.read_value(), no_op, begin)

    def _least(self) -> Tensor:
        return rearrange_ops.eye(self._sizes) * _LEAST_VARIANCE

    def _mean_values(self) -> Tensor:
        shape = array_ops.stack([self._classes, 1, self._sizes])
        return array_ops.reshape(self._means.read_value(), shape)

    def _of_shard(self, data: Tensor) -> _Shard:
        logs = self._log_densities(data) + gen_ops.log(self._alpha)
        likelihoods = reduction_ops.reduce_logsumexp(logs, axis=1, keepdims=True)
        weights = gen_ops.exp(logs - likelihoods)
        counts = array_ops.reshape(math_ops.reduce_sum(weights, 0), [-1, 1, 1])
        sums = array_ops.expand_dims(math_ops.matmul(weights, data, transpose_a=True), 1)
        # [classes, d, n] times [n, d] of all classes.
        of_classes = array_ops.expand_dims(array_ops.transpose(weights), 1)
        weighted = array_ops.expand_dims(array_ops.transpose(data), 0) * of_classes
        rows = array_ops.reshape(weighted, array_ops.stack([-1, array_ops.shape(data)[0]]))
        products = array_ops.reshape(
            math_ops.matmul(rows, data), array_ops.stack([-1, self._sizes, self._sizes])
        )
        return _Shard(likelihoods, weights, counts, sums, products)

    def _log_densities(self, data: Tensor) -> Tensor:
        """The logarithms of the densities of all classes, [n, classes]."""
        differences = array_ops.expand_dims(data, 0) - self._mean_values()
        constant_part = math_ops.cast(self._sizes, dtypes.float32) * float(np.log(2 * np.pi))
        if self._is_diagonal:
            shape = array_ops.stack([self._classes, self._sizes])
            variances = array_ops.reshape(self._covs.read_value(), shape) + _LEAST_VARIANCE
            logs = math_ops.reduce_sum(gen_ops.log(variances), 1)
            scaled = gen_ops.square(differences) / array_ops.expand_dims(variances, 1)
            squares = math_ops.reduce_sum(scaled, 2)
        else:
            shape = array_ops.stack([self._classes, self._sizes, self._sizes])
            covs = array_ops.reshape(self._covs.read_value(), shape) + self._least()
            factors = raw_ops.Cholesky(input=covs)
            logs = 2.0 * math_ops.reduce_sum(gen_ops.log(raw_ops.MatrixDiagPart(input=factors)), 1)
            solved = raw_ops.MatrixTriangularSolve(
                matrix=factors, rhs=array_ops.transpose(differences, [0, 2, 1]), lower=True
            )
            squares = math_ops.reduce_sum(gen_ops.square(solved), 1)
        return -0.5 * (array_ops.transpose(squares) + constant_part + logs)

    def _maximize(self) -> Operation:
        graph, shards = get_default_graph(), self._shards
        counts, sums, products = (
            arithmetic_ops.add_n([getattr(shard, name) for shard in shards])
            for name in ("counts", "sums", "products")
        )
        train: List[Any] = []
        # What is changed has been read.
        with graph.control_dependencies([counts, sums, products]):
            if "w" in self._params:
                total = math_ops.reduce_sum(counts) + _EPSILON
                train.append(self._alpha.assign(array_ops.reshape(counts, [-1]) / total).op)
            moved = no_op()
            if "m" in self._params:
                moved = group(_set(self._means, sums / (counts + _EPSILON)))
                train.append(moved)
            if "c" in self._params:
                with graph.control_dependencies([moved]):
                    means = self._mean_values()
                of_means = array_ops.transpose(means, [0, 2, 1]) * means
                covs = products / (counts + _EPSILON) - of_means + self._least()
                if self._is_diagonal:
                    covs = raw_ops.MatrixDiagPart(input=covs)
                train.append(group(_set(self._covs, covs)))
            return group(*train)


def _set(variable: Variable, value: Tensor) -> Any:
    """Assigns a value of any shape."""
    return assign(variable, value, validate_shape=False)


def gmm(
    inp: Any, initial_clusters: Any, num_clusters: int, random_seed: int,
    covariance_type: str = FULL_COVARIANCE, params: str = "wmc",
) -> Tuple[Tensor, Tensor, List[List[Tensor]], Operation, Any, Variable]:  # fmt: skip
    """The graph of a mixture of Gaussian distributions.

    Args:
        inp: Examples as the rows of float32 [n, d], or a list of such tensors.
        initial_clusters: The means to begin with, [classes, d], or "random" for random examples.
        num_clusters: How many distributions there are.
        random_seed: Makes the choice of means repeatable.
        covariance_type: "full" or "diag".
        params: What training changes: "w" for weights, "m" for means, "c" for covariances.

    Returns:
        The logarithm of the sum of the densities; the logarithms of the densities, [n, 1]; a list
        of the list of the numbers of distributions for each input; an op that trains; an op that
        chooses what training begins with; and a bool variable: whether that is chosen.

    Raises:
        ValueError: There is no such type of covariances.
    """
    is_random = isinstance(initial_clusters, str) and initial_clusters == "random"
    initial: Optional[Any] = None if is_random else initial_clusters
    data = inp if isinstance(inp, list) else [inp]
    tool = GmmAlgorithm(data, num_clusters, initial, params, covariance_type, random_seed)
    return (
        tool.log_likelihood_op(), tool.scores(), [tool.assignments()], tool.training_ops(),
        tool.init_ops(), tool.is_initialized(),
    )  # fmt: skip
