"""The base class of optimizers."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.platform.logging import not_obeyed
from troupe._src.replicas.gradient_sums import applied
from troupe._src.replicas.loss_reductions import scaled_loss
from troupe._src.replicas.mirrored_variable import each_copy, select_own
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
        self._slots = {}
        self._non_slot_dict = {}
        self._state = []

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
        loss = scaled_loss(loss() if callable(loss) else loss)
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
        operation: Operation = applied(self._apply_all, pairs, global_step, name)
        return operation

    def _apply_all(
        self, pairs: Any, global_step: Optional[Variable], name: Optional[str]
    ) -> Operation:
        step, scope = self._apply(pairs, name)
        # The scope is unique, and the operation has its name.
        train_op = self._after_step(step, pairs, global_step, scope)
        collection = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
        if train_op not in collection:
            collection.append(train_op)
        return train_op

    def _after_step(
        self,
        step: Operation,
        pairs: GradientsAndVariables,
        global_step: Optional[Variable],
        name: str,
    ) -> Operation:
        """What applies constraints after the updates, and then increments the global step."""
        graph = get_default_graph()
        constrained = [variable for _, variable in pairs if variable.constraint is not None]
        with graph.control_dependencies([step]):
            assigned = [variable._assign_constrained() for variable in constrained]
            step = group(*assigned) if assigned else step
        if global_step is None:
            return group(step, name=name)
        with graph.control_dependencies([step]):
            counted = assign_add(global_step, 1)
        return group(counted, name=name)

    def _apply(
        self, pairs: Sequence[Tuple[Tensor, Variable]], name: Optional[str]
    ) -> Tuple[Operation, str]:
        graph = get_default_graph()
        # They are there for other steps too, whatever branch or controls the updates are in.
        with graph.control_dependencies(None):
            self._create_slots([variable for _, variable in pairs])
        with graph.name_scope(name or self._name) as scope:
            self._prepare()
            updates = []
            for gradient, variable in pairs:
                updates += each_copy(variable, lambda: self._update(select_own(gradient), variable))
            return self._finish(updates, scope + "update"), scope

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

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Operation:
        return group(*update_ops, name=name_scope.rsplit("/", 1)[-1])


def _converted(gradient: Any, variable: Variable) -> Any:
    if isinstance(gradient, IndexedSlices):
        values = convert_to_tensor(gradient.values, variable.dtype)
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return convert_to_tensor(gradient, variable.dtype)
