"""The base class of constrained optimizers."""

from __future__ import annotations

import abc
from typing import Any, Dict, Optional, Sequence

from troupe._src.constrained_optimization.problem import ConstrainedMinimizationProblem
from troupe._src.control_flow.conditional import cond
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable import Variable


@set_module("troupe.contrib.constrained_optimization")
class ConstrainedOptimizer(abc.ABC):
    """Minimizes an objective under constraints.

    It is `tf.contrib.constrained_optimization.ConstrainedOptimizer`. A derived class overrides
    `_minimize_constrained`.

    Args:
        optimizer: The optimizer of the parameters.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer of the parameters."""
        return self._optimizer

    @abc.abstractmethod
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
        """`minimize_constrained` without the operations that run before."""

    def minimize_constrained(
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
        """An op that minimizes the objective, and satisfies the constraints.

        Args:
            minimization_problem: The problem.
            global_step: A variable that is incremented after the update.
            var_list: The parameters; None for all trainable variables.
            gate_gradients: As of the optimizer.
            aggregation_method: As of the optimizer.
            colocate_gradients_with_ops: As of the optimizer.
            name: The name of the operation.
            grad_loss: The gradient with respect to the loss, by default ones.

        Returns:
            The operation.

        Raises:
            ValueError: Objective and constraints have different dtypes, or unknown shapes.
        """
        with control_dependencies(list(minimization_problem.pre_train_ops or [])):
            return self._minimize_constrained(
                minimization_problem,
                global_step=global_step,
                var_list=var_list,
                gate_gradients=gate_gradients,
                aggregation_method=aggregation_method,
                colocate_gradients_with_ops=colocate_gradients_with_ops,
                name=name,
                grad_loss=grad_loss,
            )

    def minimize_unconstrained(
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
        """An op that minimizes the objective alone.

        Args:
            minimization_problem: The problem.
            global_step: A variable that is incremented after the update.
            var_list: The parameters; None for all trainable variables.
            gate_gradients: As of the optimizer.
            aggregation_method: As of the optimizer.
            colocate_gradients_with_ops: As of the optimizer.
            name: The name of the operation.
            grad_loss: The gradient with respect to the loss, by default ones.

        Returns:
            The operation.
        """
        with control_dependencies(list(minimization_problem.pre_train_ops or [])):
            return self.optimizer.minimize(
                minimization_problem.objective,
                global_step=global_step,
                var_list=var_list,
                gate_gradients=gate_gradients,
                aggregation_method=aggregation_method,
                colocate_gradients_with_ops=colocate_gradients_with_ops,
                name=name,
                grad_loss=grad_loss,
            )

    def minimize(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        unconstrained_steps: Optional[int] = None,
        global_step: Optional[Variable] = None,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: Optional[str] = None,
        grad_loss: Any = None,
    ) -> Any:
        """An op that minimizes the objective alone at first, and then under the constraints.

        Args:
            minimization_problem: The problem.
            unconstrained_steps: How many steps ignore the constraints; None for none.
            global_step: A variable that is incremented after the update.
            var_list: The parameters; None for all trainable variables.
            gate_gradients: As of the optimizer.
            aggregation_method: As of the optimizer.
            colocate_gradients_with_ops: As of the optimizer.
            name: The name of the operation.
            grad_loss: The gradient with respect to the loss, by default ones.

        Returns:
            The operation.

        Raises:
            ValueError: There are such steps, but no global step.
        """
        given: Dict[str, Any] = {
            "global_step": global_step,
            "var_list": var_list,
            "gate_gradients": gate_gradients,
            "aggregation_method": aggregation_method,
            "colocate_gradients_with_ops": colocate_gradients_with_ops,
            "name": name,
            "grad_loss": grad_loss,
        }
        if unconstrained_steps is None:
            return self.minimize_constrained(minimization_problem, **given)
        if global_step is None:
            raise ValueError("global_step cannot be None if unconstrained_steps is provided")
        limit = convert_to_tensor(unconstrained_steps)
        return cond(
            gen_ops.less(math_ops.cast(global_step, limit.dtype), limit),
            lambda: self.minimize_unconstrained(minimization_problem, **given),
            lambda: self.minimize_constrained(minimization_problem, **given),
        )
