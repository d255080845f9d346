"""How replicas exchange values, by the classes of programs."""

from __future__ import annotations

from typing import Any, List, Sequence

from troupe._src.control_flow import nest
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.replicas.reduce_op import ReduceOp, as_reduce_op
from troupe._src.replicas.values import PerReplica
from troupe._src.set_module import set_module


@set_module("troupe.distribute")
class CrossDeviceOps:
    """How replicas exchange values: there is one, whose values are the sum and the mean."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any) -> Any:
        """The sum or mean of the replicas' values.

        Args:
            reduce_op: A `ReduceOp` or its name.
            per_replica_value: What a replica has returned.
            destinations: A device, a variable or a tensor: where the result is.

        Returns:
            The value.

        Raises:
            ValueError: There is no such reduction.
        """
        return self.reduce_implementation(
            as_reduce_op(reduce_op), per_replica_value, destinations
        )

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Sequence[Any]) -> List[Any]:
        """The sums or means of several values.

        Args:
            reduce_op: A `ReduceOp` or its name.
            value_destination_pairs: Pairs of a value and its destination, as of `reduce`.

        Returns:
            The values.

        Raises:
            ValueError: There is no such reduction, or something is no pair.
        """
        pairs = list(value_destination_pairs)
        if any(not isinstance(each, (list, tuple)) or len(each) != 2 for each in pairs):
            raise ValueError("value_destination_pairs are pairs of a value and a destination")
        return self.batch_reduce_implementation(as_reduce_op(reduce_op), pairs)

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """A tensor for each replica.

        Args:
            tensor: The tensor.
            destinations: A device, a variable or a tensor: where the result is.

        Returns:
            The tensor for the one replica.
        """
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any
    ) -> Any:
        """What `reduce` gives; a class of a program overrides it.

        Args:
            reduce_op: A `ReduceOp`.
            per_replica_value: The value.
            destinations: Where the result is.

        Returns:
            The value.
        """
        if not isinstance(per_replica_value, PerReplica):
            return _copied(per_replica_value, destinations)
        values = [convert_to_tensor(each) for each in per_replica_value.values]
        total: Any = add_n(values)
        if reduce_op is ReduceOp.MEAN:
            total = total / convert_to_tensor(len(values), total.dtype)
        return _copied(total, destinations)

    def batch_reduce_implementation(
        self, reduce_op: Any, value_destination_pairs: Sequence[Any]
    ) -> List[Any]:
        """What `batch_reduce` gives; a class of a program overrides it.

        Args:
            reduce_op: A `ReduceOp`.
            value_destination_pairs: Pairs of a value and its destination.

        Returns:
            The values.
        """
        return [
            self.reduce_implementation(reduce_op, value, place)
            for value, place in value_destination_pairs
        ]

    def broadcast_implementation(self, tensor: Any, destinations: Any) -> Any:
        """What `broadcast` gives; a class of a program overrides it.

        Args:
            tensor: The tensor.
            destinations: Where the result is.

        Returns:
            The tensor.
        """
        return _copied(tensor, destinations)


def _copied(value: Any, destinations: Any) -> Any:
    """The value on a device, or on that of a variable or tensor."""
    device = destinations if isinstance(destinations, str) else getattr(destinations, "device", "")
    with get_default_graph().device(device or None):
        return nest.map_structure(array_ops.identity, value)


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Has no effect."""


class NcclAllReduce(CrossDeviceOps):
    """Has no effect."""


class ReductionToOneDevice(CrossDeviceOps):
    """Has no effect."""
