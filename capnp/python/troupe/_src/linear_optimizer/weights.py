"""The weights of a model, which may be variables in parts."""

from __future__ import annotations

from typing import Any, List, NamedTuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import colocate_with
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.selection_ops import gather
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.variables.scatter_ops import scatter_add
from troupe._src.variables.variable import Variable


def parts_of(weights: Any) -> List[Any]:
    """The variables that are the parts of weights, one after the other along the first axis."""
    return list(weights) if isinstance(weights, (list, PartitionedVariable)) else [weights]


def as_tensor(weights: Any) -> Tensor:
    """All weights."""
    parts = parts_of(weights)
    return convert_to_tensor(parts[0] if len(parts) == 1 else array_ops.concat(parts, 0))


def zeros_beside(weights: Any, suffix: str) -> List[Variable]:
    """Variables of the shapes of the parts, zeros at first, on their devices."""
    made = []
    for part in parts_of(weights):
        with colocate_with(part):
            zeros = creation_ops.zeros_like(part.initialized_value(), dtypes.float32)
            made.append(Variable(zeros, name=part.op.name + suffix))
    return made


class Rows(NamedTuple):
    """Some rows of weights."""

    variables: List[Any]
    ids: Tensor
    part_of: Tensor  # for each row the number of its variable

    @classmethod
    def of(cls, variables: List[Any], ids: Tensor) -> Rows:
        """The rows of these numbers, a vector of int64."""
        counts = [part.shape[0].value for part in variables]
        ends = constant([sum(counts[: i + 1]) for i in range(len(counts) - 1)], dtypes.int64)
        is_behind = array_ops.expand_dims(ids, 1) >= ends
        return cls(variables, ids, math_ops.reduce_sum(math_ops.cast(is_behind, dtypes.int32), 1))

    def _apart(self, rows: Tensor) -> List[Tensor]:
        count = len(self.variables)
        found: List[Tensor] = gen_ops.dynamic_partition(rows, self.part_of, count)
        return found

    def _ids_in_parts(self) -> List[Tensor]:
        counts = [part.shape[0].value for part in self.variables]
        begins = [sum(counts[:i]) for i in range(len(counts))]
        return [ids - begin for ids, begin in zip(self._apart(self.ids), begins)]

    def values(self) -> Tensor:
        """The weights."""
        if len(self.variables) == 1:
            return gather(self.variables[0], self.ids)
        found = []
        for part, ids in zip(self.variables, self._ids_in_parts()):
            with colocate_with(part):
                found.append(gather(part, ids))
        places = self._apart(math_ops.range(array_ops.shape(self.ids)[0]))
        stitched: Tensor = gen_ops.dynamic_stitch(places, found)
        return stitched

    def add(self, updates: Tensor) -> List[Any]:
        """Adds to the weights."""
        if len(self.variables) == 1:
            return [scatter_add(self.variables[0], self.ids, updates)]
        added = []
        parts = zip(self.variables, self._ids_in_parts(), self._apart(updates))
        for part, ids, update in parts:
            with colocate_with(part):
                added.append(scatter_add(part, ids, update))
        return added


def add_to_all(variables: List[Any], updates: Tensor) -> List[Any]:
    """Adds to all weights, which are those variables in a row."""
    if len(variables) == 1:
        return [assign_add(variables[0], updates)]
    counts = [part.shape[0].value for part in variables]
    return [
        assign_add(part, update)
        for part, update in zip(variables, array_ops.split(updates, counts))
    ]


def copy_to(variables: List[Any], sources: List[Variable]) -> List[Any]:
    """Assigns the values of other variables, as they are after the control dependencies."""
    assigned = []
    for variable, source in zip(variables, sources):
        with get_default_graph().colocate_with(variable):
            assigned.append(variable.assign(source.read_value()))
    return assigned
