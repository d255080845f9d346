"""How batches are arranged of what files have: read in turns, shuffled and repeated."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.data.dataset import Dataset


def records_of(files: Dataset, records: Callable[[Any], Dataset], reads: Optional[int]) -> Dataset:
    """The records of files, of which that many take turns, by default one."""
    reads = 1 if reads is None else reads
    if reads == 1:
        return files.flat_map(records)
    turns = 16 if reads < 0 else reads
    return files.interleave(records, turns, num_parallel_calls=reads)


def shuffled_and_repeated(
    dataset: Dataset, num_epochs: Optional[int], shuffle: bool, size: int, seed: Optional[int]
) -> Dataset:
    """The dataset that many times, in another order each time; None for no end."""
    if shuffle:
        dataset = dataset.shuffle(size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


def prefetched(dataset: Dataset, size: Optional[int]) -> Dataset:
    """The dataset with that many elements ahead; by default as the runtime chooses."""
    return dataset.prefetch(-1 if size is None else size)
