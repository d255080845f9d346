"""An optimizer of several workers that apply the means of their own gradients now and then."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import creation_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.opt.local_copies import (
    AGNCustomGetter, InitHook, local_slots, local_step, with_gradients,
)  # fmt: skip
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.variables.assign_ops import assign, assign_add
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import trainable_variables


@set_module("troupe.contrib.opt")
class AGNOptimizer(Optimizer):
    """Workers train copies, and apply their mean gradients to the variables after some steps.

    It is `tf.contrib.opt.AGNOptimizer` (Hermans et al., Accumulated gradient normalization, 2017).
    After each period a worker begins again with the values of the variables.

    Args:
        optimizer: The optimizer of the copies, and of the variables.
        num_worker: The number of workers.
        custom_getter: The getter that made the variables.
        communication_period: After how many steps of a worker.
        use_locking: Has no effect.
        name: The name of the operations.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        num_worker: int,
        custom_getter: AGNCustomGetter,
        communication_period: int = 10,
        use_locking: bool = True,
        name: str = "AGNOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = optimizer
        self._num_worker = num_worker
        self._period = communication_period
        self._global_map = custom_getter._global_map
        self._grad_map = custom_getter._beside_map
        self._local_step = local_step()

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        """An op that applies gradients to the copies, and after a period to the variables.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a copy.
            global_step: A variable that is incremented after each period.
            name: Has no effect.

        Returns:
            The operation.
        """
        given = list(grads_and_vars)
        pairs = with_gradients(given)
        with local_slots():
            updates = [self._opt.apply_gradients(given)]
        for gradient, variable in pairs:
            added = assign_add(self._grad_map[variable], convert_to_tensor(gradient))
            updates.append(group(added))
        copies = [variable for _, variable in pairs]
        counted = assign_add(self._local_step, 1, name="local_step_update")
        with control_dependencies([counted]):
            steps = self._local_step.read_value()
            is_due = gen_ops.equal(gen_ops.floormod(steps, self._period), 0)
        with control_dependencies(updates):
            return group(cond(is_due, lambda: self._exchange(copies, global_step), no_op))

    def _exchange(self, copies: Any, global_step: Optional[Variable]) -> Operation:
        sums = [self._grad_map[variable] for variable in copies]
        means = [assign(each, each.read_value() / self._period) for each in sums]
        shared = [self._global_map[variable] for variable in copies]
        with control_dependencies(means):
            applied = self._opt.apply_gradients(
                [(each.read_value(), variable) for each, variable in zip(sums, shared)]
            )
        with control_dependencies([applied]):
            done = [] if global_step is None else [assign_add(global_step, 1)]
            done += [assign(copy, each.read_value()) for copy, each in zip(copies, shared)]
            done += [assign(each, creation_ops.zeros_like(each)) for each in sums]
            return group(*done)

    def get_init_op(self, task_index: int) -> Operation:
        """An op with which a worker begins: it copies the variables.

        Args:
            task_index: Has no effect.

        Returns:
            The operation.

        Raises:
            ValueError: There are no variables.
        """
        copies = trainable_variables()
        if not copies:
            raise ValueError("There are no variables that the custom getter has made")
        done = [assign(copy, self._global_map[copy].read_value()) for copy in copies]
        sums = [self._grad_map[copy] for copy in copies]
        return group(*done, *(assign(each, creation_ops.zeros_like(each)) for each in sums))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> InitHook:
        """A hook that lets a worker begin with the values of the variables.

        Args:
            is_chief: Has no effect.
            task_index: The number of the worker.

        Returns:
            The hook.
        """
        return InitHook(self, task_index)
