"""Elements taken by chance: as often as a rate says, or so that classes have given shares."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.checks import check_ops
from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.inputs.batching import batch, maybe_batch
from troupe._src.ops import (
    array_ops,
    assert_ops,
    creation_ops,
    gen_ops,
    math_ops,
    rearrange_ops,
    selection_ops,
)
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_poisson, random_uniform
from troupe._src.train.moving_averages import assign_moving_average
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_local_variable


def resample_at_rate(
    inputs: Sequence[TensorLike], rates: TensorLike, scope: Optional[str] = None,
    seed: Optional[int] = None, back_prop: bool = False,
) -> List[Tensor]:  # fmt: skip
    """Each element as often as a Poisson distribution of its rate says.

    Args:
        inputs: Tensors with one first axis, that of elements.
        rates: How often each element is taken in the mean, a vector of floats.
        scope: The name scope.
        seed: The seed of the numbers.
        back_prop: Changes nothing: there is no derivative by a rate.

    Returns:
        The tensors with the elements that were taken.
    """
    del back_prop
    with get_default_graph().name_scope(scope or "resample_at_rate"):
        of_each = convert_to_tensor(rates, name="rates")
        counts = math_ops.cast(random_poisson(of_each, [], of_each.dtype, seed), dtypes.int32)
        indices = rearrange_ops.repeat(math_ops.range(array_ops.size(counts)), counts)
        return [selection_ops.gather(each, gen_ops.stop_gradient(indices)) for each in inputs]


def weighted_resample(
    inputs: Sequence[TensorLike], weights: Tensor, overall_rate: TensorLike,
    scope: Optional[str] = None, mean_decay: float = 0.999, seed: Optional[int] = None,
) -> Tuple[List[Tensor], Tensor]:  # fmt: skip
    """Each element as often as its weight says, of a mean rate.

    Args:
        inputs: Tensors with one first axis, that of elements.
        weights: The weight of each element, a vector of floats.
        overall_rate: How often an element is taken in the mean of many calls.
        scope: The scope of ops, and of the variable of the mean weight.
        mean_decay: How much of that mean stays with each step.
        seed: The seed of the numbers.

    Returns:
        The tensors with the elements that were taken, and the rate of each of these.
    """
    weights = convert_to_tensor(weights)
    with get_default_graph().name_scope(scope or "weighted_resample"):
        with variable_scope(scope, "estimate_mean"):
            zero = creation_ops.zeros([], weights.dtype)
            estimated = get_local_variable("estimated_mean", initializer=zero)
            found = math_ops.reduce_mean(weights)
            mean = assign_moving_average(estimated, found, mean_decay)
        rates = weights * overall_rate / mean
        results = resample_at_rate([rates, *inputs], rates, seed=seed)
        return results[1:], results[0]


def rejection_sample(
    tensors: Sequence[TensorLike], accept_prob_fn: Callable[[List[Tensor]], Tensor],
    batch_size: TensorLike, queue_threads: int = 1, enqueue_many: bool = False,
    prebatch_capacity: int = 16, prebatch_threads: int = 1, runtime_checks: bool = False,
    name: Optional[str] = None,
) -> List[Tensor]:  # fmt: skip
    """Batches of the elements that are accepted, each with a probability of its own.

    Args:
        tensors: The components of an element, or with `enqueue_many` of several.
        accept_prob_fn: Makes a scalar in [0, 1] of the components of an element.
        batch_size: The number of elements in a batch.
        queue_threads: How many threads fill the queue of batches.
        enqueue_many: Whether the tensors have an axis of elements.
        prebatch_capacity: How many elements the queue before holds, which takes several apart.
        prebatch_threads: How many threads fill that.
        runtime_checks: Whether steps check that probabilities are in [0, 1].
        name: The scope.

    Returns:
        The components of the batch.

    Raises:
        ValueError: Tensors with an axis of elements have none, or different ones.
    """
    with variable_scope(name, "rejection_sample"):
        parts = [convert_to_tensor(each) for each in tensors]
        if enqueue_many:
            for each in parts:
                each.shape.with_rank_at_least(1)[0].assert_is_compatible_with(parts[0].shape[0])
            parts = _one_by_one(parts, prebatch_threads, prebatch_capacity)
        accepted = convert_to_tensor(accept_prob_fn(parts))
        if runtime_checks:
            checks = [
                assert_ops.assert_less_equal(0.0, accepted),
                assert_ops.assert_less_equal(accepted, 1.0),
            ]
            accepted = _after(checks, accepted, "prob_with_checks")
        keep = random_uniform([]) < accepted
        return _listed(maybe_batch(parts, keep, batch_size, num_threads=queue_threads))


def _one_by_one(tensors: List[Tensor], threads: int, capacity: int) -> List[Tensor]:
    found = batch(tensors, 1, num_threads=threads, capacity=capacity, enqueue_many=True)
    return [array_ops.squeeze(each, [0]) for each in _listed(found)]


def _listed(batched: Any) -> List[Tensor]:
    """The components; a queue gives a single one as it is."""
    return [batched] if isinstance(batched, Tensor) else list(batched)


def _after(checks: Sequence[Operation], tensor: Tensor, name: Optional[str] = None) -> Tensor:
    with get_default_graph().control_dependencies(checks):
        return gen_ops.identity(tensor, name=name)


def stratified_sample(
    tensors: Sequence[TensorLike], labels: TensorLike, target_probs: TensorLike,
    batch_size: TensorLike, init_probs: Optional[TensorLike] = None, enqueue_many: bool = False,
    queue_capacity: int = 16, threads_per_queue: int = 1, name: Optional[str] = None,
) -> Tuple[List[Tensor], Tensor]:  # fmt: skip
    """Batches in which classes have given shares; elements of others are dropped by chance.

    Args:
        tensors: The components of an element, or with `enqueue_many` of several.
        labels: Its class, an integer, or a vector of them.
        target_probs: The share of each class in batches, a vector of floats.
        batch_size: The number of elements in a batch.
        init_probs: The share of each class in the data; None to count them as they come.
        enqueue_many: Whether the tensors have an axis of elements.
        queue_capacity: How many elements the first queue holds.
        threads_per_queue: How many threads fill each queue.
        name: The name scope.

    Returns:
        The components of the batch, and the classes.

    Raises:
        ValueError: Shares are no vectors of one known size, or the tensors have no common axis of
            elements.
    """
    with get_default_graph().name_scope(name or "stratified_sample"):
        parts = [convert_to_tensor(each) for each in tensors]
        classes = convert_to_tensor(labels)
        target = convert_to_tensor(target_probs, dtypes.float32)
        if not enqueue_many:
            parts = [array_ops.expand_dims(each, 0) for each in parts]
            classes = array_ops.expand_dims(classes, 0)
        if init_probs is None:
            target.shape.assert_is_fully_defined()
            first = _counted(classes, int(target.shape.num_elements() or 0))
        else:
            first = convert_to_tensor(init_probs, dtypes.float32)
        parts, classes, (first, target) = _checked(parts, classes, [first, target])
        is_possible = assert_ops.Assert(
            math_ops.reduce_all(
                gen_ops.logical_or(gen_ops.not_equal(first, 0), gen_ops.equal(target, 0))
            ),
            [
                "All classes with zero initial probability must also have zero target "
                "probability: ", first, target,
            ],
        )  # fmt: skip
        accepted = _acceptance(_after([is_possible], first), target)
        *parts, label = _one_by_one([*parts, classes], threads_per_queue, queue_capacity)
        keep = random_uniform([]) < selection_ops.gather(accepted, label)
        *found, label = maybe_batch(
            [*parts, label], keep, batch_size, num_threads=threads_per_queue
        )
        return found, label


def _counted(labels: Tensor, count: int) -> Tensor:
    """The shares of classes in all labels so far, of which each had ten before the first."""
    seen = Variable([10] * count, trainable=False, name="class_count", dtype=dtypes.int64)
    added = math_ops.reduce_sum(creation_ops.one_hot(labels, count, dtype=dtypes.int64), 0)
    total = seen.assign_add(added) + 0
    return math_ops.cast(total / math_ops.reduce_sum(total), dtypes.float32)


def _checked(
    parts: List[Tensor], labels: Tensor, shares: List[Tensor]
) -> Tuple[List[Tensor], Tensor, List[Tensor]]:
    """All of them, after checks of their values in the step."""
    for each in shares:
        each.shape.assert_is_fully_defined()
        each.shape.assert_has_rank(1)
    count = shares[0].shape.num_elements()
    if any(each.shape.num_elements() != count for each in shares):
        raise ValueError("Probability parameters must have the same length.")
    labels.shape.assert_has_rank(1)
    for each in parts:
        each.shape.with_rank_at_least(1)[0].assert_is_compatible_with(labels.shape[0])
    shares = [_after(_share_checks(each), each) for each in shares]
    size = array_ops.shape(labels)[0]
    has_some = assert_ops.assert_positive(size)
    parts = [
        _after([has_some, assert_ops.assert_equal(array_ops.shape(each)[0], size)], each)
        for each in parts
    ]
    limit = math_ops.cast(count, labels.dtype)
    check_ops.assert_integer(labels)
    checks = [
        has_some, assert_ops.assert_non_negative(labels), assert_ops.assert_less(labels, limit),
    ]  # fmt: skip
    return parts, _after(checks, labels), shares


def _share_checks(shares: Tensor) -> List[Operation]:
    total = math_ops.reduce_sum(shares)
    return [
        assert_ops.assert_non_negative(shares),
        assert_ops.assert_less(total, 1.0 + 1e-6),
        assert_ops.assert_less(1.0 - 1e-6, total),
    ]


def _acceptance(first: Tensor, target: Tensor) -> Tensor:
    """The probabilities of acceptance: as the ratios of shares are, of at most one."""
    ratios = target / first
    ratios = selection_ops.where(gen_ops.is_nan(ratios), creation_ops.zeros_like(ratios), ratios)
    accepted = ratios / math_ops.reduce_max(ratios)
    dropped = math_ops.reduce_sum((1 - accepted) * first)
    told: Tensor = cond(
        dropped < 0.5,
        lambda: gen_ops.identity(accepted),
        lambda: assert_ops.Print(
            accepted, [accepted], first_n=10,
            message="Proportion of examples rejected by sampler is high.",
        ),
    )  # fmt: skip
    return told
