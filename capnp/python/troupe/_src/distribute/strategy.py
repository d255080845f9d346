"""Strategies of distribution that have one replica in each program.

The semantics are those of `tf.distribute` of TensorFlow 1.15 for one replica: a program computes on
one device, and programs of a cluster share variables as its device functions say.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.data.dataset import Dataset
from troupe._src.data.iterator import Iterator as DatasetIterator
from troupe._src.distribute.contexts import entered
from troupe._src.distribute.input_context import InputContext
from troupe._src.distribute.reduce_op import ReduceOp, as_reduce_op
from troupe._src.distribute.strategy_extended import StrategyExtended
from troupe._src.graph.elements import Operation
from troupe._src.ops import math_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module


@set_module("troupe.distribute")
class Strategy:
    """Runs the replicas of a computation; here one, on one device.

    Args:
        extended: Its `StrategyExtended`.
    """

    def __init__(self, extended: StrategyExtended) -> None:
        self._extended = extended
        extended._strategy = self

    @property
    def extended(self) -> StrategyExtended:
        """The methods for libraries."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """1: gradients are not summed over programs."""
        return 1

    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Makes it the current strategy, and its device that of new nodes.

        Yields:
            Itself.
        """
        with entered(self, False), self._extended._on_device():
            yield self

    def group(self, value: Any, name: Optional[str] = None) -> Operation:
        """An operation that runs what a replica has returned.

        Args:
            value: Operations or tensors, or nested ones.
            name: The name of the operation.

        Returns:
            The operation.
        """
        nodes = [each for each in nest.flatten(value) if each is not None]
        return group(*nodes, name=name or "group_deps")

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """The former place of that of `extended`.

        Args:
            colocate_with_variable: The variable.

        Returns:
            A context whose new variables are where it is.
        """
        return self._extended.colocate_vars_with(colocate_with_variable)

    def experimental_run_v2(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Calls a function in each replica, and gives what the one replica returns.

        Args:
            fn: The function.
            args: Its arguments.
            kwargs: Its arguments by name.

        Returns:
            What the one replica returns.
        """
        return self._extended.call_for_each_replica(fn, args, kwargs)

    run = experimental_run_v2

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Calls a function in each replica, with the next element of the iterator, if any.

        Args:
            fn: The function.
            input_iterator: Whose next element is its argument.

        Returns:
            What the one replica returns.
        """
        args = () if input_iterator is None else (input_iterator.get_next(),)
        return self._extended.call_for_each_replica(fn, args)

    def reduce(self, reduce_op: Any, value: Any, axis: Optional[int] = None) -> Any:
        """The sum or mean of the replicas' values, and along an axis if one is given.

        Args:
            reduce_op: A `ReduceOp` or its name.
            value: What a replica has returned.
            axis: Along which it is reduced, besides.

        Returns:
            The reduced value.
        """
        operation = as_reduce_op(reduce_op)
        if axis is None:
            return value
        reduced = math_ops.reduce_sum if operation is ReduceOp.SUM else math_ops.reduce_mean
        return reduced(value, axis)

    def experimental_local_results(self, value: Any) -> Tuple[Any, ...]:
        """The values of the replicas of this program: a tuple of one.

        Args:
            value: What a replica has returned.

        Returns:
            A tuple of it.
        """
        return (value,)

    def unwrap(self, value: Any) -> Tuple[Any, ...]:
        """As `experimental_local_results`.

        Args:
            value: What a replica has returned.

        Returns:
            A tuple of it.
        """
        return (value,)

    def make_dataset_iterator(self, dataset: Dataset) -> InputIterator:
        """An iterator over the dataset: its batches are those of the replica.

        Args:
            dataset: The dataset.

        Returns:
            An iterator to be initialized.
        """
        return InputIterator(dataset)

    def make_input_fn_iterator(
        self, input_fn: Callable[[InputContext], Any], replication_mode: Any = None
    ) -> InputIterator:
        """An iterator over the dataset that a function of an `InputContext` gives.

        Args:
            input_fn: Gives a dataset.
            replication_mode: PER_WORKER.

        Returns:
            An iterator to be initialized.
        """
        return InputIterator(input_fn(InputContext()))

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> Dataset:
        """A dataset of the rows of arrays.

        Args:
            numpy_input: Arrays, in a nested structure.
            session: Has no effect.

        Returns:
            A dataset.
        """
        return Dataset.from_tensor_slices(numpy_input)

    def experimental_distribute_dataset(self, dataset: Dataset) -> Dataset:
        """The dataset.

        Args:
            dataset: The dataset.

        Returns:
            It.
        """
        return dataset

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Dataset]
    ) -> Dataset:
        """The dataset that a function of an `InputContext` gives.

        Args:
            dataset_fn: Gives a dataset.

        Returns:
            What it gives.
        """
        return dataset_fn(InputContext())

    def configure(self, session_config: Any = None, **_: Any) -> None:
        """Has no effect.

        Args:
            session_config: Has no effect.
        """

    def update_config_proto(self, config_proto: Any) -> Any:
        """The configuration as it is.

        Args:
            config_proto: A ConfigProto.

        Returns:
            It.
        """
        return config_proto


class InputIterator:
    """An iterator over the batches of a replica.

    Args:
        dataset: The dataset.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._iterator: DatasetIterator = dataset.make_initializable_iterator()

    def get_next(self) -> Any:
        """The next element.

        Returns:
            It, in the structure of the dataset.
        """
        return self._iterator.get_next()

    def initialize(self) -> Any:
        """The operation that begins at the first element.

        Returns:
            An operation.
        """
        return self._iterator.initializer

    initializer = property(initialize)
