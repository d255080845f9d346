"""Strategies of distribution, with one replica or several of them in each program.

The semantics are those of `tf.distribute` of TensorFlow 1.15 in graphs.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.data.dataset import Dataset
from troupe._src.distribute.input_context import InputContext
from troupe._src.distribute.input_iterator import DistributedDataset, InputIterator
from troupe._src.distribute.strategy_extended import StrategyExtended
from troupe._src.graph.elements import Operation
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.replicas.contexts import entered
from troupe._src.replicas.creation import mirrored_creator
from troupe._src.replicas.reduce_op import ReduceOp, as_reduce_op
from troupe._src.replicas.values import PerReplica, regroup
from troupe._src.set_module import set_module
from troupe._src.variables.creators import variable_creator_scope


@set_module("troupe.distribute")
class Strategy:
    """Runs the replicas of a computation, each on a device of its own.

    Args:
        extended: Its `StrategyExtended`.
    """

    _divides_batches = True  # whether the batches of datasets are those of all replicas

    def __init__(self, extended: StrategyExtended) -> None:
        self._extended = extended
        self._scales_losses = False  # where an estimator lets optimizers do it
        extended._strategy = self

    @property
    def extended(self) -> StrategyExtended:
        """The methods for libraries."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are, whose gradients are summed."""
        return self._extended._replica_count

    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Makes it the current strategy, and its first device that of new nodes.

        Yields:
            Itself.
        """
        with contextlib.ExitStack() as scopes:
            scopes.enter_context(entered(self))
            scopes.enter_context(self._extended._on_device(0))
            if self.num_replicas_in_sync > 1:
                scopes.enter_context(variable_creator_scope(mirrored_creator(self)))
            yield self

    def group(self, value: Any, name: Optional[str] = None) -> Operation:
        """An operation that runs what a replica has returned.

        Args:
            value: Operations or tensors, or nested ones, and PerReplicas of them.
            name: The name of the operation.

        Returns:
            The operation.
        """
        found = [self.experimental_local_results(each) for each in nest.flatten(value)]
        nodes = [each for each in nest.flatten(found) if each is not None]
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
        """Calls a function in each replica of this program.

        Args:
            fn: The function.
            args: Its arguments.
            kwargs: Its arguments by name.

        Returns:
            What it returns; a PerReplica where that differs.
        """
        with self.scope():
            return self._extended.call_for_each_replica(fn, args, kwargs)

    run = experimental_run_v2

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Calls a function in each replica, with the next element of the iterator, if any.

        Args:
            fn: The function.
            input_iterator: Whose next element is its argument.

        Returns:
            What it returns; a PerReplica where that differs.
        """
        args = () if input_iterator is None else (input_iterator.get_next(),)
        return self.experimental_run_v2(fn, args)

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
        device = self._extended.worker_devices[0]
        if axis is None:
            return self._extended.reduce_to(operation, value, device)
        sums = self._over_replicas(lambda own: math_ops.reduce_sum(own, axis), value)
        total = self._extended.reduce_to(ReduceOp.SUM, sums, device)
        if operation is ReduceOp.SUM:
            return total
        # The mean of all rows, of which replicas may have different numbers.
        counts = self._over_replicas(
            lambda own: math_ops.cast(array_ops.shape(own)[axis], total.dtype), value
        )
        return total / self._extended.reduce_to(ReduceOp.SUM, counts, device)

    def _over_replicas(self, function: Callable[[Any], Any], value: Any) -> Any:
        """What a function gives of the value of each replica of this program."""
        values = self.experimental_local_results(value)
        results = []
        for number, own in enumerate(values):
            with self._extended._on_device(number):
                results.append(function(own))
        return regroup(results)

    def experimental_local_results(self, value: Any) -> Tuple[Any, ...]:
        """The values of the replicas of this program.

        Args:
            value: What replicas have returned.

        Returns:
            A tuple of the value of each, or of the one that they have in common.
        """
        return value.values if isinstance(value, PerReplica) else (value,)

    def unwrap(self, value: Any) -> Tuple[Any, ...]:
        """As `experimental_local_results`.

        Args:
            value: What replicas have returned.

        Returns:
            A tuple of the value of each.
        """
        return self.experimental_local_results(value)

    def make_dataset_iterator(self, dataset: Dataset) -> InputIterator:
        """An iterator over a dataset, each batch of which is divided among the replicas.

        Args:
            dataset: The dataset. Several programs should each have other examples.

        Returns:
            An iterator to be initialized.

        Raises:
            InvalidArgumentError: In a step, a batch cannot be divided by the number of replicas.
        """
        return InputIterator(self, dataset, self._divides_batches)

    def make_input_fn_iterator(
        self, input_fn: Callable[[InputContext], Any], replication_mode: Any = None
    ) -> InputIterator:
        """An iterator over the dataset that a function of an `InputContext` gives.

        Each replica gets a batch of its own.

        Args:
            input_fn: Gives a dataset.
            replication_mode: PER_WORKER.

        Returns:
            An iterator to be initialized.
        """
        return InputIterator(self, self._dataset_of(input_fn), False)

    def _dataset_of(self, function: Callable[[InputContext], Any]) -> Any:
        workers = self._extended._workers
        count, index = (1, 0) if workers is None else (workers.count, workers.index)
        return function(InputContext(count, index, self.num_replicas_in_sync))

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> Dataset:
        """A dataset of the rows of arrays.

        Args:
            numpy_input: Arrays, in a nested structure.
            session: Has no effect.

        Returns:
            A dataset.
        """
        return Dataset.from_tensor_slices(numpy_input)

    def experimental_distribute_dataset(self, dataset: Dataset) -> Any:
        """A dataset each batch of which is divided among the replicas.

        Args:
            dataset: The dataset.

        Returns:
            What makes initializable iterators; the dataset itself where there is one replica.
        """
        if self.num_replicas_in_sync == 1:
            return dataset
        return DistributedDataset(self, dataset, self._divides_batches)

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Dataset]
    ) -> Any:
        """The dataset that a function of an `InputContext` gives, whose batches are of replicas.

        Args:
            dataset_fn: Gives a dataset.

        Returns:
            As of `experimental_distribute_dataset`.
        """
        dataset = self._dataset_of(dataset_fn)
        if self.num_replicas_in_sync == 1:
            return dataset
        return DistributedDataset(self, dataset, False)

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
