"""Samples of classes, for losses that do not compute the logits of all classes."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.random_seed import get_seed
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


class Candidates(NamedTuple):
    """Sampled classes, and how often the true and the sampled ones are expected among them."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


def _sample(op: Any, true_classes: Any, seed: Optional[int], **attrs: Any) -> Candidates:
    first, second = get_seed(seed)
    classes = convert_to_tensor(true_classes, dtypes.int64)
    return Candidates(*op(true_classes=classes, seed=first, seed2=second, **attrs))


def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Candidates:
    """Classes that are drawn evenly from [0, range_max).

    Args:
        true_classes: int64 indices of classes, [batch, num_true].
        num_true: the number of true classes in each row.
        num_sampled: the number of classes to draw.
        unique: whether no class is drawn twice in a step.
        range_max: the number of classes.
        seed: makes the draws repeatable.

    Returns:
        The sampled classes, int64 [num_sampled]; the expected counts of the true classes, float32
        [batch, num_true]; and those of the sampled ones, float32 [num_sampled].
    """
    return _sample(
        raw_ops.UniformCandidateSampler, true_classes, seed, num_true=num_true,
        num_sampled=num_sampled, unique=unique, range_max=range_max, name=name,
    )  # fmt: skip


def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Candidates:
    """Classes with a log-uniform distribution: for classes that are numbered by frequency.

    Args:
        true_classes: int64 indices of classes, [batch, num_true].
        num_true: the number of true classes in each row.
        num_sampled: the number of classes to draw.
        unique: whether no class is drawn twice in a step.
        range_max: the number of classes.
        seed: makes the draws repeatable.

    Returns:
        The sampled classes, int64 [num_sampled]; the expected counts of the true classes, float32
        [batch, num_true]; and those of the sampled ones, float32 [num_sampled].
    """
    return _sample(
        raw_ops.LogUniformCandidateSampler, true_classes, seed, num_true=num_true,
        num_sampled=num_sampled, unique=unique, range_max=range_max, name=name,
    )  # fmt: skip


def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Candidates:
    """Classes as often as they were true ones in steps before.

    Args:
        true_classes: int64 indices of classes, [batch, num_true].
        num_true: the number of true classes in each row.
        num_sampled: the number of classes to draw.
        unique: whether no class is drawn twice in a step.
        range_max: the number of classes.
        seed: makes the draws repeatable.

    Returns:
        The sampled classes, int64 [num_sampled]; the expected counts of the true classes, float32
        [batch, num_true]; and those of the sampled ones, float32 [num_sampled].
    """
    return _sample(
        raw_ops.LearnedUnigramCandidateSampler, true_classes, seed, num_true=num_true,
        num_sampled=num_sampled, unique=unique, range_max=range_max, name=name,
    )  # fmt: skip


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Candidates:
    """Classes with probabilities that a file or a list of weights says.

    Args:
        true_classes: int64 indices of classes, [batch, num_true].
        num_true: the number of true classes in each row.
        num_sampled: the number of classes to draw.
        unique: whether no class is drawn twice in a step.
        range_max: the number of classes.
        vocab_file: a file with a line for each class, whose last field after a comma is the weight.
        distortion: the exponent of the weights; 0 makes classes equally probable.
        num_reserved_ids: how many first classes have no weight in the list, and are not drawn.
        num_shards: the number of parts that the classes are divided among.
        shard: the index of the part that this one draws from.
        unigrams: the weights, where there is no file.
        seed: makes the draws repeatable.

    Returns:
        The sampled classes, int64 [num_sampled]; the expected counts of the true classes, float32
        [batch, num_true]; and those of the sampled ones, float32 [num_sampled].
    """
    return _sample(
        raw_ops.FixedUnigramCandidateSampler, true_classes, seed, num_true=num_true,
        num_sampled=num_sampled, unique=unique, range_max=range_max, vocab_file=vocab_file,
        distortion=distortion, num_reserved_ids=num_reserved_ids, num_shards=num_shards,
        shard=shard, unigrams=list(unigrams), name=name,
    )  # fmt: skip


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Candidates:
    """All classes from [0, num_sampled), once each: for tests of what uses samples.

    Args:
        true_classes: int64 indices of classes, [batch, num_true].
        num_true: the number of true classes in each row.
        num_sampled: the number of classes to draw.
        unique: whether no class is drawn twice in a step.
        seed: makes the draws repeatable.

    Returns:
        The sampled classes, int64 [num_sampled]; the expected counts of the true classes, float32
        [batch, num_true]; and those of the sampled ones, float32 [num_sampled].
    """
    return _sample(
        raw_ops.AllCandidateSampler, true_classes, seed, num_true=num_true,
        num_sampled=num_sampled, unique=unique, name=name,
    )  # fmt: skip


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> List[Tensor]:
    """The rows, positions and weights (the lowest float) of sampled classes that are true ones.

    Args:
        true_classes: int64, [batch, num_true].
        sampled_candidates: int64, [num_sampled].
        num_true: the number of true classes in each row.
        seed: has no effect.

    Returns:
        Three tensors with an element for each hit: the row, int32; the position in the sample,
        int64; the weight, float32.
    """
    first, second = get_seed(seed)
    return raw_ops.ComputeAccidentalHits(
        true_classes=convert_to_tensor(true_classes, dtypes.int64),
        sampled_candidates=convert_to_tensor(sampled_candidates, dtypes.int64),
        num_true=num_true,
        seed=first,
        seed2=second,
        name=name,
    )
