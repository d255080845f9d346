"""Variables with a copy on the device of each replica of a program."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.replicas.contexts import current, current_copy
from troupe._src.replicas.merging import merge_call
from troupe._src.replicas.reduce_op import ReduceOp
from troupe._src.replicas.values import Mirrored, select
from troupe._src.set_module import set_module
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization
from troupe._src.variables.variable import Variable


def _of_copy(name: str) -> Any:
    """A property that is that of the copy which is meant where it is read."""
    return property(lambda self: getattr(self._copies[current_copy()], name))


@set_module("troupe.distribute")
class MirroredVariable(Variable):
    """A variable with a copy on the device of each replica of a program.

    A replica reads its own copy. What is assigned outside of replicas goes to all copies; what
    replicas assign is reduced first, as the variable's aggregation says. A variable that is
    synchronized ON_READ lets each replica assign to its own copy, and is reduced where it is read
    outside of replicas, and in checkpoints.

    It has the name of the first copy; that of replica 1 is "name/replica_1".
    """

    _native: Any = _of_copy("_native")
    _initial: Any = _of_copy("_initial")
    _guarded: Any = _of_copy("_guarded")
    _snapshot: Any = _of_copy("_snapshot")
    # What a strategy gives it, besides copies.
    _copies: Tuple[Variable, ...]
    _strategy: Any
    _initializer: Operation  # that of all copies
    _fetched: Optional[Tensor] = None  # what steps fetch where copies are reduced

    def __init__(self, *_: Any, **__: Any) -> None:
        """Has no effect: `mirrored` makes it."""

    @property
    def name(self) -> str:
        return self._copies[0].name

    @property
    def _shared_name(self) -> str:
        return self._copies[0]._shared_name

    @property
    def values(self) -> Tuple[Variable, ...]:
        """The copies, in the order of the replicas."""
        return self._copies

    def get(self, device: Optional[str] = None) -> Variable:
        """The copy of the replica in which this is called, or the one on a device.

        Args:
            device: The device of the copy.

        Returns:
            A variable.

        Raises:
            ValueError: No copy is on that device.
        """
        if device is None:
            return self._copies[current_copy()]
        found = next((each for each in self._copies if each.device == device), None)
        if found is None:
            raise ValueError(f"{self.name} has no copy on {device!r}")
        return found

    @property
    def initializer(self) -> Operation:
        found = current()
        if found is not None and found.copy is not None:
            return self.get().initializer
        return self._initializer

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """As that of the first copy, which is the variable where no strategy is."""
        return self._copies[0].to_proto(export_scope)

    @property
    def _is_own_copy(self) -> bool:
        """Whether updates here are of one copy."""
        found = current()
        if found is None:
            return False
        return found.copy is not None or (found.replica is not None and self._is_on_read)

    @property
    def _is_on_read(self) -> bool:
        return self.synchronization is VariableSynchronization.ON_READ

    @property
    def _is_read_reduced(self) -> bool:
        """Whether its value here is that of all copies."""
        return self._is_on_read and len(copies_meant(self)) > 1

    def read_value(self) -> Tensor:
        return self._reduced() if self._is_read_reduced else super().read_value()

    def _as_graph_element(self) -> Tensor:
        if not self._is_read_reduced:
            return super()._as_graph_element()
        if self._fetched is None:
            with self._graph.as_default(), self._graph.control_dependencies(None):
                self._fetched = self._reduced()
        return self._fetched

    def eval(self, session: Any = None) -> Any:
        return self._as_graph_element().eval(session=session)

    def _reduced(self) -> Tensor:
        """The sum, mean or first of the copies."""
        if self.aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._copies[0].read_value()
        total = add_n([each.read_value() for each in self._copies])
        if self.aggregation is not VariableAggregation.MEAN:
            return total
        mean: Tensor = total / convert_to_tensor(len(self._copies), total.dtype)
        return mean

    def load(self, value: Any, session: Any = None) -> None:
        for each in self._copies:
            each.load(value, session)

    def _change(
        self, operation: str, value: Any, read_value: bool = True, name: Optional[str] = None
    ) -> Any:
        def changed(own: Any) -> Any:
            return super(MirroredVariable, self)._change(operation, own, False, name)

        if self._is_own_copy:
            return super()._change(operation, value, read_value, name)
        if self._is_on_read and self.aggregation is VariableAggregation.SUM:
            value = convert_to_tensor(value, self._dtype)
            value = value / convert_to_tensor(len(self._copies), value.dtype)
        return self._updated(changed, value, read_value)

    def _scatter(self, op: str, indices: Any, updates: Any, name: Optional[str]) -> Tensor:
        if self._is_own_copy:
            return super()._scatter(op, indices, updates, name)

        def changed(rows: IndexedSlices) -> Any:
            own = super(MirroredVariable, self)._scatter(op, rows.indices, rows.values, name)
            return own._update or own.op

        updates = convert_to_tensor(updates, self._dtype)
        rows = IndexedSlices(updates, convert_to_tensor(indices))
        result: Tensor = self._updated(changed, rows, True)
        return result

    def _updated(self, changed: Callable[[Any], Any], value: Any, read_value: bool) -> Any:
        """The result of updating all copies by what replicas give, or by one value."""

        def merged(strategy: Any, given: Any) -> Any:
            total = self._aggregated(strategy, given) if in_replica else given
            done = group(*each_copy(self, lambda: changed(select_own(total))))
            if not read_value:
                return done
            with get_default_graph().control_dependencies([done]):
                reads = [each.read_value() for each in self._copies]
            for read in reads:
                read._update = done
            return Mirrored(reads)

        found = current()
        in_replica = found is not None and found.replica is not None
        if in_replica:
            return merge_call(self._strategy, merged, (value,))
        result = merged(self._strategy, value)
        return result.values[0] if isinstance(result, Mirrored) else result

    def _aggregated(self, strategy: Any, given: Any) -> Any:
        if self.aggregation is VariableAggregation.NONE:
            raise ValueError(
                f"replicas assign to {self.name}, which does not say how: give it an `aggregation`,"
                " one of tf.VariableAggregation.SUM, MEAN and ONLY_FIRST_REPLICA"
            )
        if self.aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return strategy.extended._from_first(given)
        operation = ReduceOp.from_variable_aggregation(self.aggregation)
        return strategy.extended.reduce_to(operation, given, self)

    def __repr__(self) -> str:
        return f"<tf.MirroredVariable {', '.join(map(repr, self._copies))}>"


def select_own(value: Any) -> Any:
    """What the copy that is updated gets of a structure."""
    return select(current_copy(), value)


def copies_meant(value: Any) -> Sequence[Any]:
    """What a value stands for here: outside of replicas, a variable for all of its copies."""
    found = current()
    is_own = found is not None and (found.copy is not None or found.replica is not None)
    return [value] if is_own or not isinstance(value, MirroredVariable) else value.values


def each_copy(variable: Any, function: Callable[[], Any]) -> List[Any]:
    """Calls a function for each copy of a variable, on its device; once for one without copies.

    Args:
        variable: The variable. In the function it stands for the copy.
        function: What is called.

    Returns:
        What the function has returned, in the order of the copies.
    """
    graph = get_default_graph()
    if not isinstance(variable, MirroredVariable):
        with graph.colocate_with(variable.op):
            return [function()]
    results = []
    for number in range(len(variable._copies)):
        with variable._strategy.extended._at_copy(number):
            with graph.colocate_with(variable.op, ignore_existing=True):
                results.append(function())
    return results


def mirrored(strategy: Any, copies: Sequence[Variable], arguments: Any) -> MirroredVariable:
    """The variable of these copies, in the collections that the arguments of `Variable` name.

    Args:
        strategy: That of the replicas.
        copies: A variable on the device of each replica.
        arguments: Those of `tf.Variable` by name.

    Returns:
        The variable.
    """
    variable = object.__new__(MirroredVariable)
    variable._copies, variable._strategy = tuple(copies), strategy
    first = copies[0]
    variable._graph, variable._dtype = first.graph, first.dtype
    variable._is_chosen_resource = True
    variable.constraint = arguments.get("constraint")
    variable.synchronization = VariableSynchronization(arguments["synchronization"])
    variable.aggregation = VariableAggregation(arguments["aggregation"])
    keys = list(arguments["collections"])
    trainable = arguments.get("trainable")
    if trainable is None:
        trainable = not variable._is_on_read
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
        keys.append(GraphKeys.TRAINABLE_VARIABLES)
    graph = first.graph
    with graph.control_dependencies(None), graph.device(None):
        initializers = [each.initializer for each in copies]
        variable._initializer = group(*initializers, name="mirrored_initializer")
    graph._variables[first._shared_name] = variable
    graph.add_to_collections(keys, variable)
    return variable
