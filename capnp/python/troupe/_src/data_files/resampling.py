"""Datasets whose classes are as frequent as wanted."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np

from troupe._src.data.dataset import Dataset
from troupe._src.data.grouping import sample_from_datasets
from troupe._src.data.transformations import Transformation, scan
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops.array_ops import get_static_value, stack
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import fill, one_hot
from troupe._src.ops.math_ops import cast, reduce_max, reduce_min, reduce_sum
from troupe._src.ops.selection_ops import gather
from troupe._src.random.random_ops import random_uniform
from troupe._src.types import dtypes

# How many classes are counted at a time, and how often each has been seen before the first.
_COUNTED_AT_ONCE, _SEEN_BEFORE = 32, 10


def rejection_resample(
    class_func: Callable[..., Any],
    target_dist: TensorLike,
    initial_dist: Optional[TensorLike] = None,
    seed: Optional[int] = None,
) -> Transformation:
    """Leaves out elements at random, so that classes are as frequent as wanted.

    Args:
        class_func: A function of an element, which gives its class: a scalar int32 from 0 to below
            the number of classes.
        target_dist: How frequent each class shall be: a vector of floats, whose sum is 1.
        initial_dist: How frequent each is in the dataset, likewise; by default the classes are
            counted as they come.
        seed: Of what is left out.

    Returns:
        A function for `Dataset.apply`; its elements are pairs of a class and an element.
    """

    def apply(dataset: Dataset) -> Dataset:
        target = convert_to_tensor(target_dist)
        classes = dataset.map(class_func)
        pairs = Dataset.zip((classes, dataset))
        known: Optional[float] = None
        if initial_dist is None:
            rates = _frequencies(classes, target).map(lambda initial: _rates(initial, target))
        else:
            initial = convert_to_tensor(initial_dist, target.dtype)
            rates = Dataset.from_tensors(_rates(initial, target)).repeat()
            known = _known_share(initial, target)
        if known == 1:
            return pairs
        chosen = _accepted(pairs, rates, seed).prefetch(3)
        if known == 0:
            return chosen
        weights = rates.map(lambda acceptance, share: stack([share, 1 - share]))
        return sample_from_datasets([pairs, chosen], weights, seed)

    return apply


def _known_share(initial: Tensor, target: Tensor) -> Optional[float]:
    """The share of elements that are taken as they come, where the graph says it."""
    have, want = get_static_value(initial), get_static_value(target)
    if have is None or want is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.min(want / have))


def _rates(initial: Tensor, target: Tensor) -> Tuple[Tensor, Tensor]:
    """The rate at which each class is accepted, and the share of elements that come anyway.

    That share leaves out the fewest elements. Of the others, each class is accepted in the
    proportion of what is wanted and is there beyond the share; the rarest one always is.
    """
    tiny = np.finfo(initial.dtype.as_numpy_dtype).tiny
    ratios = target / (initial + tiny)
    most, share = reduce_max(ratios), reduce_min(ratios)
    return (ratios - share) / (most - share), share


def _accepted(pairs: Dataset, rates: Dataset, seed: Optional[int]) -> Dataset:
    """The pairs of a class and an element that are accepted."""

    def with_rate(pair: Tuple[Tensor, Any], rate: Tuple[Tensor, Tensor]) -> Any:
        return gather(rate[0], pair[0]), pair

    def is_accepted(rate: Tensor, pair: Any) -> Tensor:
        return random_uniform([], seed=seed, dtype=rate.dtype) < rate

    rated = Dataset.zip((pairs, rates)).map(with_rate)
    return rated.filter(is_accepted).map(lambda rate, pair: pair)


def _frequencies(classes: Dataset, target: Tensor) -> Dataset:
    """How frequent each class has been so far, for each element."""
    count = target.shape.as_list()[0] if target.shape.rank else None
    if count is None:
        raise ValueError("the number of classes must be known: that of the sizes of `target_dist`")
    before = fill([count], np.int64(_SEEN_BEFORE))

    def add(seen: Tensor, some: Tensor) -> Tuple[Tensor, Tensor]:
        seen = seen + reduce_sum(one_hot(some, count, dtype=dtypes.int64), 0)
        return seen, cast(seen / reduce_sum(seen), target.dtype)

    counted = classes.batch(_COUNTED_AT_ONCE).apply(scan(before, add))
    return counted.flat_map(lambda each: Dataset.from_tensors(each).repeat(_COUNTED_AT_ONCE))
