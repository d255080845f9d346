"""A game of two players: one sets the parameters, the other the weights of the constraints."""

from __future__ import annotations

import abc
from typing import Any, Optional, Sequence, Tuple

from troupe._src.constrained_optimization.optimizer import ConstrainedOptimizer
from troupe._src.constrained_optimization.problem import ConstrainedMinimizationProblem
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.assign_ops import assign, assign_add
from troupe._src.variables.variable import Variable


class RegretOptimizer(ConstrainedOptimizer):
    """Updates the parameters, and then the weights of the constraints, by gradients.

    A derived class says what the state of the second player is.

    Args:
        optimizer: The optimizer of the parameters.
        constraint_optimizer: That of the weights; None for the same one.
    """

    _state_name = ""

    def __init__(
        self, optimizer: Optimizer, constraint_optimizer: Optional[Optimizer] = None
    ) -> None:
        super().__init__(optimizer)
        self._constraint_optimizer = constraint_optimizer

    @property
    def constraint_optimizer(self) -> Optional[Optimizer]:
        """The optimizer of the weights of the constraints; None if there is one for all."""
        return self._constraint_optimizer

    @abc.abstractmethod
    def _initial_state(self, num_constraints: int) -> Any:
        """The first value of the state."""

    @abc.abstractmethod
    def _loss(
        self, state: Tensor, objective: Tensor, constraints: Tensor, proxies: Tensor
    ) -> Tuple[Tensor, Tensor]:
        """The loss of the parameters, and by how much the state wins."""

    @abc.abstractmethod
    def _projected(self, state: Tensor) -> Tensor:
        """The nearest state that is allowed."""

    def _minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Optional[Variable] = None,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: Optional[str] = None,
        grad_loss: Any = None,
    ) -> Any:
        objective, constraints, proxies = _tensors_of(minimization_problem)
        count = minimization_problem.num_constraints
        state = Variable(
            lambda: self._initial_state(count), trainable=False, name=self._state_name
        )
        loss, gain = self._loss(state.read_value(), objective, constraints, proxies)
        pairs = self.optimizer.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        updates = self._updates(list(pairs), [(-gain, state)])
        with control_dependencies(updates):
            project = name if global_step is None else "project"
            with get_default_graph().colocate_with(state.op):
                projected = assign(state, self._projected(state.read_value()), name=project)
            if global_step is None:
                return projected
            with get_default_graph().colocate_with(global_step.op):
                counted = assign_add(global_step, 1, name="global_step_increment")
            return group(projected, counted, name=name or "group_deps")

    def _updates(self, pairs: Any, own: Any) -> Any:
        given = [gradient for gradient, _ in pairs + own if gradient is not None]
        gradients = [each.values if isinstance(each, IndexedSlices) else each for each in given]
        # Both players move at once: no gradient may see what another one has changed.
        with control_dependencies(gradients):
            if self._constraint_optimizer is None:
                return [self.optimizer.apply_gradients(pairs + own, name="update")]
            return [
                self.optimizer.apply_gradients(pairs, name="update"),
                self._constraint_optimizer.apply_gradients(own, name="optimizer_state_update"),
            ]


def _tensors_of(problem: ConstrainedMinimizationProblem) -> Tuple[Tensor, Tensor, Tensor]:
    """The objective, and the constraints and their proxies as vectors."""
    objective = convert_to_tensor(problem.objective)
    constraints = convert_to_tensor(problem.constraints)
    given = problem.proxy_constraints
    proxies = constraints if given is None else convert_to_tensor(given)
    if not objective.dtype == constraints.dtype == proxies.dtype:
        raise ValueError("objective, constraints and proxy_constraints must have the same dtype")
    size = [problem.num_constraints]
    return objective, array_ops.reshape(constraints, size), array_ops.reshape(proxies, size)
