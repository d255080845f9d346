"""Iterators over the batches of replicas."""

from __future__ import annotations

from typing import Any

from troupe._src.control_flow import nest
from troupe._src.data.iterator import Iterator as DatasetIterator
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops
from troupe._src.replicas.values import regroup
from troupe._src.set_module import set_module


@set_module("troupe.distribute")
class InputIterator:
    """An iterator over the batches of the replicas of a program.

    Args:
        strategy: That of the replicas.
        dataset: A dataset of batches.
        is_divided: Whether a batch is divided among all replicas; else each takes one of its own.
    """

    def __init__(self, strategy: Any, dataset: Any, is_divided: bool) -> None:
        self._strategy, self._is_divided = strategy, is_divided
        self._iterator: DatasetIterator = dataset.make_initializable_iterator()

    def get_next(self) -> Any:
        """The next batches. One that cannot be divided evenly gives some replicas a row more.

        Returns:
            In the structure of the dataset, with a PerReplica for each tensor where a program has
            several replicas.
        """
        extended = self._strategy.extended
        count, local = self._strategy.num_replicas_in_sync, extended._local_count
        if count == 1:
            return self._iterator.get_next()
        if not self._is_divided:
            return regroup([self._iterator.get_next() for _ in range(local)])
        batch = self._iterator.get_next()
        first = local * (extended._workers.index if extended._workers is not None else 0)
        return regroup([_piece(batch, first + number, count) for number in range(local)])

    def initialize(self) -> Any:
        """The operation that begins at the first element.

        Returns:
            An operation.
        """
        return self._iterator.initializer

    initializer = property(initialize)


@set_module("troupe.distribute")
class DistributedDataset:
    """A dataset whose batches the replicas of a program get.

    Args:
        strategy: That of the replicas.
        dataset: A dataset of batches.
        is_divided: Whether a batch is divided among all replicas; else each takes one of its own.
    """

    def __init__(self, strategy: Any, dataset: Any, is_divided: bool) -> None:
        self._arguments = (strategy, dataset, is_divided)

    def make_initializable_iterator(self) -> InputIterator:
        """An iterator over the batches.

        Returns:
            An iterator to be initialized.
        """
        return InputIterator(*self._arguments)


def _piece(batch: Any, number: int, count: int) -> Any:
    """One of as many pieces of a batch as there are replicas."""

    def cut(rows: Tensor) -> Tensor:
        total = array_ops.shape(rows)[0]
        piece: Tensor = rows[total * number // count : total * (number + 1) // count]
        known = rows.shape.as_list() if rows.shape.rank else [None]
        if known[0] is not None:
            ends = [known[0] * each // count for each in (number, number + 1)]
            piece.set_shape([ends[1] - ends[0], *known[1:]])
        return piece

    return nest.map_structure(cut, batch)
