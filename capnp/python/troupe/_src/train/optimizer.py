"""The base class of optimizers."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.ops.array_ops import concat
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.platform.logging import not_obeyed
from troupe._src.representation import represent
from troupe._src.set_module import set_module
from troupe._src.train.gradients import gradients
from troupe._src.train.op_updates import OpUpdates
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import trainable_variables

GradientsAndVariables = Sequence[Tuple[Any, Variable]]


@set_module("troupe.train")
class Optimizer(OpUpdates):
    """Updates variables by the gradients of a loss.

    Its state, the slots, are variables on the devices of the trained variables. A custom optimizer
    overrides `_create_slots`, `_prepare`, `_resource_apply_dense` or `_apply_dense`,
    `_resource_apply_sparse` (rows; else they become tensors), and `_finish`. An update that is one
    node is atomic; between the nodes of another one, steps of other sessions may read and write.

    Args:
        use_locking: Has no effect: each update that is one node is atomic.
        name: The name of the operations.

    Raises:
        ValueError: There is no name.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots: Dict[Tuple[str, Variable], Variable] = {}
        self._state: List[Variable] = []  # slots, and variables that all updates share
        self._shared: Dict[str, Variable] = {}  # the latter by their names, in the latest graph

    def __repr__(self) -> str:
        try:
            fields = {"name": self._name, **self._settings()}
        except AttributeError:  # of a class of a program that does not call this `__init__`
            fields = {}
        return represent(self, fields)

    def get_name(self) -> str:
        """The name of the operations."""
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Optional[Variable] = None,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: Optional[str] = None,
        grad_loss: Any = None,
    ) -> Operation:
        """An op that computes the gradients of the loss and updates the variables.

        Args:
            loss: A tensor whose sum becomes less, or a function that gives it.
            global_step: A variable that is incremented after the update.
            var_list: The variables; None for all trainable ones.
            gate_gradients: One of GATE_NONE, GATE_OP and GATE_GRAPH; has no effect.
            aggregation_method: Has no effect.
            colocate_gradients_with_ops: Has no effect.
            name: The name of the operation.
            grad_loss: The gradient with respect to the loss, by default ones.

        Returns:
            The operation.

        Raises:
            ValueError: The loss depends on none of the variables, or there are none.
        """
        # By name, as in TensorFlow: optimizers of programs may override it with `**kwargs`.
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable: the loss depends on none of "
                f"{[variable.name for _, variable in pairs]}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> List[Tuple[Optional[Tensor], Variable]]:
        """The gradients of a loss with respect to variables.

        Args:
            loss: A tensor whose sum is derived, or a function that gives it.
            var_list: The variables; None for all trainable ones.
            gate_gradients: One of GATE_NONE, GATE_OP and GATE_GRAPH; has no effect.
            aggregation_method: Has no effect.
            colocate_gradients_with_ops: Has no effect.
            grad_loss: The gradient with respect to the loss, by default ones.

        Returns:
            A list of (gradient or None, variable).

        Raises:
            TypeError: An item of `var_list` is no variable.
            ValueError: There are no variables.
        """
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of GATE_NONE, GATE_OP and GATE_GRAPH, not "
                f"{gate_gradients!r}"
            )
        if gate_gradients == Optimizer.GATE_GRAPH:
            not_obeyed("Optimizer", "gate_gradients=GATE_GRAPH")
        if callable(loss):
            loss = loss()
        if isinstance(var_list, (Variable, Tensor)):
            var_list = [var_list]
        variables = list(var_list) if var_list is not None else trainable_variables()
        if not variables:
            raise ValueError("No variables to optimize.")
        for variable in variables:
            if not isinstance(variable, (Variable, Tensor)):
                raise TypeError(f"Argument is not a tf.Variable: {variable!r}")
        grad_ys = None if grad_loss is None else [grad_loss]
        return list(zip(gradients(loss, variables, grad_ys), variables))

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        """An op that applies gradients, and then increments the global step.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a variable.
            global_step: A variable that is incremented after the update.
            name: The name of the operation.

        Returns:
            The operation.

        Raises:
            NotImplementedError: A tensor is in the place of a variable.
            ValueError: There are no gradients.
        """
        given = list(grads_and_vars)
        for _, variable in given:
            if isinstance(variable, Tensor):
                raise NotImplementedError(f"Trying to update a Tensor {variable!r}")
        pairs = [(_converted(g, v), v) for g, v in given if g is not None]
        if not pairs:
            raise ValueError(
                f"No gradients provided for any variable: {[v.name for _, v in given]}."
            )
        train_op = self._after_step(self._apply(pairs), pairs, global_step, name)
        collection = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
        if train_op not in collection:
            collection.append(train_op)
        return train_op

    def _after_step(
        self,
        step: Operation,
        pairs: GradientsAndVariables,
        global_step: Optional[Variable],
        name: Optional[str],
    ) -> Operation:
        """What applies constraints after the updates, and then increments the global step."""
        graph = get_default_graph()
        constrained = [variable for _, variable in pairs if variable.constraint is not None]
        with graph.control_dependencies([step]):
            assigned = [variable._assign_constrained() for variable in constrained]
            step = group(*assigned) if assigned else step
        if global_step is None:
            return group(step, name=name or self._name)
        with graph.control_dependencies([step]):
            counted = assign_add(global_step, 1)
        return group(counted, name=name or self._name)

    def _apply(self, pairs: Sequence[Tuple[Tensor, Variable]]) -> Operation:
        graph = get_default_graph()
        # They are there for other steps too, whatever branch or controls the updates are in.
        with graph.name_scope(None), graph.control_dependencies(None):
            self._create_slots([variable for _, variable in pairs])
        with graph.name_scope(self._name) as scope:
            self._prepare()
            updates = []
            for gradient, variable in pairs:
                with graph.colocate_with(variable.op):
                    updates.append(self._update(gradient, variable))
            return self._finish(updates, scope + "update")

    def _update(self, gradient: Any, variable: Variable) -> Any:
        if not isinstance(gradient, IndexedSlices):
            return self._resource_apply_dense(gradient, variable)
        return self._resource_apply_sparse_duplicate_indices(
            gradient.values, variable, gradient.indices
        )

    # Overridden by custom optimizers.

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        """Creates the slots."""

    def _prepare(self) -> None:
        """Creates tensors that all updates share."""

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, var: Variable, indices: Tensor
    ) -> Any:
        """Updates the rows of a variable that indices name, some of them perhaps repeatedly."""
        distinct, positions = raw_ops.Unique(x=indices)
        shape = concat([raw_ops.Shape(input=distinct), raw_ops.Shape(input=grad)[1:]], 0)
        summed = convert_to_tensor(IndexedSlices(grad, positions, shape))
        return self._resource_apply_sparse(summed, var, distinct)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Operation:
        return group(*update_ops, name=name_scope.rsplit("/", 1)[-1])

    def _shared_variable(self, initial: Any, name: str, var_list: Sequence[Variable]) -> Variable:
        """A variable that the updates of all variables share, where the first by name is."""
        first = min(var_list, key=lambda var: var.name)
        with get_default_graph().colocate_with(first.op):
            shared = _slot(first, initial, name)
        self._state.append(shared)
        self._shared[name] = shared
        return shared

    # Slots.

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        shape = [int(size) for size in var.shape]
        zeros = gen_ops.fill(shape, convert_to_tensor(0, var.dtype))
        return self._get_or_make_slot(var, zeros, slot_name, op_name)

    def _get_or_make_slot(self, var: Variable, val: Any, slot_name: str, op_name: str) -> Variable:
        """The slot `slot_name` of a variable."""
        slot = self._slots.get((slot_name, var))
        if slot is None:
            with get_default_graph().colocate_with(var.op):
                initial = convert_to_tensor(val, var.dtype)
                slot = _slot(var, initial, f"{var._shared_name}/{op_name}")
            info = var._get_save_slice_info()
            if info is not None and slot.shape == var.shape:
                slot._set_save_slice_info(info.of_slot(op_name))
            self._add_slot(slot_name, var, slot)
        return slot

    def _add_slot(self, slot_name: str, var: Variable, slot: Variable) -> None:
        self._slots[slot_name, var] = slot
        self._state.append(slot)

    def get_slot(self, var: Variable, name: str) -> Optional[Variable]:
        """A slot of a variable.

        Args:
            var: The variable.
            name: The name of the slot, such as "momentum".

        Returns:
            A variable; None where there is none.
        """
        return self._slots.get((name, var))

    def get_slot_names(self) -> List[str]:
        """The names of all slots, in order."""
        return sorted({name for name, _ in self._slots})

    def variables(self) -> List[Variable]:
        """The variables of its state in the default graph."""
        graph = get_default_graph()
        return [variable for variable in self._state if variable.graph is graph]


def _slot(var: Variable, initial: Any, name: str) -> Variable:
    """A slot of a variable, or what several share; that of a local one is of this program alone."""
    graph = get_default_graph()
    local = graph.get_collection_ref(GraphKeys.LOCAL_VARIABLES)
    if all(each is not var for each in local):
        return Variable(initial, trainable=False, name=name)
    slot = Variable(initial, trainable=False, name=name, collections=[GraphKeys.LOCAL_VARIABLES])
    # Among the variables of a program, a slot is a global one.
    local.remove(slot)
    graph.add_to_collection(GraphKeys.GLOBAL_VARIABLES, slot)
    return slot


def _converted(gradient: Any, variable: Variable) -> Any:
    if isinstance(gradient, IndexedSlices):
        values = convert_to_tensor(gradient.values, variable.dtype)
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return convert_to_tensor(gradient, variable.dtype)
