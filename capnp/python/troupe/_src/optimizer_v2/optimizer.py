"""The base class of optimizers with hyperparameters."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.scopes import control_dependencies, init_scope, name_scope
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.optimizer_v2.rows import distinct_rows
from troupe._src.optimizer_v2.state import StepState
from troupe._src.platform.logging import not_obeyed
from troupe._src.replicas.gradient_sums import applied
from troupe._src.replicas.loss_reductions import scaled_loss
from troupe._src.replicas.mirrored_variable import each_copy, select_own
from troupe._src.set_module import set_module
from troupe._src.tape.gradient_tape import GradientTape
from troupe._src.train.gradients import gradients
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import trainable_variables

Pairs = Sequence[Tuple[Any, Variable]]


@set_module("troupe.contrib.optimizer_v2")
class OptimizerV2(Optimizer):
    """Updates variables by the gradients of a loss, with hyperparameters that may change.

    It is `tf.contrib.optimizer_v2.OptimizerV2`. A custom optimizer calls `_set_hyper` for its
    hyperparameters, which are numbers, scalars, or functions without arguments that are called for
    each `apply_gradients`. It overrides `_create_vars`, `_prepare`, `_resource_apply_dense` or
    `_apply_dense`, `_resource_apply_sparse` or `_apply_sparse`, and `_finish`, all of which get the
    state: its slots, what updates share, and the hyperparameters.

    Args:
        use_locking: Has no effect: each update that is one node is atomic.
        name: The name of the operations.

    Raises:
        RuntimeError: A custom optimizer overrides `_create_slots`.
        ValueError: There is no name.
    """

    def __init__(self, use_locking: bool, name: str) -> None:
        if type(self)._create_slots is not OptimizerV2._create_slots:
            raise RuntimeError(
                "Override _create_vars instead of _create_slots when descending from OptimizerV2 "
                f"(class {type(self).__name__})"
            )
        super().__init__(use_locking, name)
        self._hyper: Dict[str, Any] = {}
        self._states: Dict[Graph, StepState] = {}

    def _settings(self) -> Dict[str, Any]:
        return {
            key: None if callable(value) else getattr(value, "name", value)
            for key, value in self._hyper.items()
        }

    def _set_hyper(self, name: str, value: Any) -> None:
        self._hyper[name] = value

    def minimize(  # type: ignore[override]
        self,
        loss: Any,
        global_step: Optional[Variable] = None,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        name: Optional[str] = None,
        grad_loss: Any = None,
        stop_gradients: Any = None,
        scale_loss_by_num_replicas: Optional[bool] = None,
    ) -> Operation:
        """An op that computes the gradients of the loss and updates the variables.

        Args:
            loss: A tensor whose sum becomes less, or a function that gives it.
            global_step: A variable that is incremented after the update.
            var_list: The variables; None for all trainable ones.
            gate_gradients: One of GATE_NONE, GATE_OP and GATE_GRAPH; has no effect.
            aggregation_method: Has no effect.
            name: The name of the operation.
            grad_loss: The gradient with respect to the loss, by default ones.
            stop_gradients: Tensors and variables that nothing passes through.
            scale_loss_by_num_replicas: Whether the loss of a replica is a part of the mean; by
                default as the estimator that trains says.

        Returns:
            The operation.

        Raises:
            ValueError: The loss depends on none of the variables, or there are none.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            grad_loss=grad_loss,
            stop_gradients=stop_gradients,
            scale_loss_by_num_replicas=scale_loss_by_num_replicas,
        )
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable: the loss depends on none of "
                f"{[variable.name for _, variable in pairs]}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(  # type: ignore[override]
        self,
        loss: Any,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        grad_loss: Any = None,
        stop_gradients: Any = None,
        scale_loss_by_num_replicas: Optional[bool] = None,
    ) -> List[Tuple[Optional[Tensor], Variable]]:
        """The gradients of a loss with respect to variables.

        Args:
            loss: A tensor whose sum is derived, or a function that gives it.
            var_list: The variables; None for all trainable ones, or those that the function reads.
            gate_gradients: One of GATE_NONE, GATE_OP and GATE_GRAPH; has no effect.
            aggregation_method: Has no effect.
            grad_loss: The gradient with respect to the loss, by default ones.
            stop_gradients: Tensors and variables that nothing passes through.
            scale_loss_by_num_replicas: Whether the loss of a replica is a part of the mean; by
                default as the estimator that trains says.

        Returns:
            A list of (gradient or None, variable).

        Raises:
            NotImplementedError: An item of `var_list` is neither a variable nor a tensor.
            ValueError: There are no variables.
        """
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of GATE_NONE, GATE_OP and GATE_GRAPH, not "
                f"{gate_gradients!r}"
            )
        if gate_gradients == self.GATE_GRAPH:
            not_obeyed("Optimizer", "gate_gradients=GATE_GRAPH")
        if callable(loss):
            with GradientTape() as tape:
                loss = loss()
            if var_list is None:
                var_list = tape.watched_variables()
        loss = scaled_loss(loss, scale_loss_by_num_replicas)
        variables = trainable_variables() if var_list is None else nest.flatten(var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        for variable in variables:
            if not isinstance(variable, (Variable, Tensor)):
                raise NotImplementedError(f"Trying to optimize unsupported type {variable!r}")
        grad_ys = None if grad_loss is None else [grad_loss]
        found = gradients(loss, variables, grad_ys, stop_gradients=stop_gradients)
        return list(zip(found, variables))

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
        if not given:
            raise ValueError("No variables provided.")
        pairs = [(gradient, var) for gradient, var in given if gradient is not None]
        if not pairs:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v in given]}."
            )
        for _, var in pairs:
            if isinstance(var, Tensor):
                raise NotImplementedError(f"Trying to update a Tensor {var!r}")
        operation: Operation = applied(self._apply_all, pairs, global_step, name)
        return operation

    def _apply_all(
        self, pairs: Any, global_step: Optional[Variable], name: Optional[str]
    ) -> Operation:
        variables = [var for _, var in pairs]
        with name_scope(name, self._name) as scope:
            state = self._state_of(variables[0].graph).of_step(self._hyper, variables)
        with init_scope():
            self._create_vars(variables, state)
        with name_scope(scope):
            train_op = self._add_updates(pairs, state, global_step, scope)
        collection = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
        if train_op not in collection:
            collection.append(train_op)
        return train_op

    def _add_updates(
        self, pairs: Pairs, state: StepState, global_step: Optional[Variable], name: str
    ) -> Operation:
        graph = get_default_graph()
        self._prepare(state)
        updates = []
        for gradient, var in pairs:
            with name_scope("update_" + var.op.name):
                updates += each_copy(
                    var, lambda: self._updated(_converted(select_own(gradient)), var, state)
                )
        updated = group(*updates)
        with control_dependencies([updated]), graph.colocate_with(state.place().op):
            finished = self._finish(state)
        finished = updated if finished is None else finished
        if global_step is None:
            return group(finished, name=name)
        with control_dependencies([finished]):
            return group(assign_add(global_step, 1), name=name)

    def _updated(self, gradient: Any, var: Variable, state: StepState) -> Any:
        """An op that updates a variable, and then applies its constraint."""
        if isinstance(gradient, IndexedSlices):
            if var.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            return self._resource_apply_sparse_duplicate_indices(
                gradient.values, var, gradient.indices, state
            )
        update = self._resource_apply_dense(gradient, var, state)
        if var.constraint is None:
            return update
        with control_dependencies([update]):
            return var._assign_constrained()

    def _state_of(self, graph: Graph) -> StepState:
        if graph not in self._states:
            self._states[graph] = StepState(self._name)
            self._states[graph].take_constants(self._hyper)
        return self._states[graph]

    def get_slot(self, var: Variable, name: str) -> Optional[Variable]:
        """A slot of a variable.

        Args:
            var: The variable.
            name: The name of the slot, such as "momentum".

        Returns:
            A variable; None where there is none.
        """
        state = self._states.get(var.graph)
        return None if state is None else state.get_slot(var, name)

    def get_slot_names(self) -> List[str]:
        """The names of all slots in the default graph, in order."""
        state = self._get_per_graph_state()
        return [] if state is None else state.get_slot_names()

    def variables(self) -> List[Variable]:
        """The variables of its state in the default graph, by name."""
        state = self._get_per_graph_state()
        return [] if state is None else state.sorted_variables()

    @property
    def _shared(self) -> Dict[str, Variable]:
        state = self._get_per_graph_state()
        return {} if state is None else dict(state.non_slots())

    def _get_per_graph_state(self) -> Optional[StepState]:
        return self._states.get(get_default_graph())

    # Overridden by custom optimizers.

    def _create_vars(self, var_list: Sequence[Variable], state: StepState) -> None:
        """Creates the slots, and what updates share."""

    def _prepare(self, state: StepState) -> None:  # type: ignore[override]
        """Creates tensors that all updates share."""

    def _finish(self, state: StepState) -> Any:  # type: ignore[override]
        """An op that runs after the updates, or None."""
        return None

    def _resource_apply_dense(  # type: ignore[override]
        self, grad: Tensor, var: Variable, state: StepState
    ) -> Any:
        """An op that updates one variable, on its device."""
        return self._apply_dense(grad, var, state)

    def _apply_dense(  # type: ignore[override]
        self, grad: Tensor, var: Variable, state: StepState
    ) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _resource_apply_dense")

    def _resource_apply_sparse_duplicate_indices(  # type: ignore[override]
        self, grad: Tensor, var: Variable, indices: Tensor, state: StepState
    ) -> Any:
        """Updates the rows of a variable that indices name, some of them perhaps repeatedly."""
        default = OptimizerV2._apply_sparse_duplicate_indices
        if type(self)._apply_sparse_duplicate_indices is not default:
            rows = IndexedSlices(grad, indices)
            return self._apply_sparse_duplicate_indices(rows, var, state)
        summed, distinct = distinct_rows(grad, indices)
        return self._resource_apply_sparse(summed, var, distinct, state)

    def _resource_apply_sparse(  # type: ignore[override]
        self, grad: Tensor, var: Variable, indices: Tensor, state: StepState
    ) -> Any:
        """An op that updates the rows of a variable that indices name, each once."""
        return self._apply_sparse(IndexedSlices(grad, indices), var, state)

    def _apply_sparse_duplicate_indices(  # type: ignore[override]
        self, grad: IndexedSlices, var: Variable, state: StepState
    ) -> Any:
        summed, distinct = distinct_rows(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(summed, distinct, grad.dense_shape), var, state)

    def _apply_sparse(  # type: ignore[override]
        self, grad: IndexedSlices, var: Variable, state: StepState
    ) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _resource_apply_sparse")


def _converted(gradient: Any) -> Any:
    return gradient if isinstance(gradient, IndexedSlices) else convert_to_tensor(gradient)
