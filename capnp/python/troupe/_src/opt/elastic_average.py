"""An optimizer of several workers whose copies and variables attract each other."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.checkpoints.saved_parts import by_name
from troupe._src.checkpoints.saver import Saver
from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import control_dependencies, device
from troupe._src.ops import gen_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.convert import constant
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.opt.local_copies import (
    ElasticAverageCustomGetter, InitHook, learning_rate_of, local_slots, local_step, with_gradients,
)  # fmt: skip
from troupe._src.queues.queues import FIFOQueue
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign, assign_add, assign_sub
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import trainable_variables


@set_module("troupe.contrib.opt")
class ElasticAverageOptimizer(Optimizer):
    """Workers train copies, which are drawn to the variables, and these to the copies.

    It is `tf.contrib.opt.ElasticAverageOptimizer` (Zhang et al., Elastic averaging SGD, 2015).
    After each period a worker reads the variables, and moves its copies and the variables towards
    each other.

    Args:
        opt: The optimizer of the copies.
        num_worker: The number of workers.
        ea_custom_getter: The getter that made the variables.
        communication_period: After how many steps of a worker.
        moving_rate: By how much of their difference they move; by default 0.9 / period / workers.
        rho: The factor of the square of that difference in the loss; by default the moving rate
            divided by the learning rate.
        use_locking: Has no effect.
        synchronous: Whether all workers begin together.
        name: The name of the operations.

    Raises:
        ValueError: There is no `rho`, and the other optimizer has no learning rate.
    """

    BETA = 0.9

    def __init__(
        self,
        opt: Optimizer,
        num_worker: int,
        ea_custom_getter: ElasticAverageCustomGetter,
        communication_period: int = 10,
        moving_rate: Optional[float] = None,
        rho: Optional[float] = None,
        use_locking: bool = True,
        synchronous: bool = False,
        name: str = "ElasticAverageOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._num_worker = num_worker
        self._period = communication_period
        self._local_map = ea_custom_getter._beside_map
        self._global_map = ea_custom_getter._global_map
        self._synchronous = synchronous
        if moving_rate is None:
            moving_rate = self.BETA / communication_period / num_worker
        self._moving_rate = moving_rate
        self._rho = moving_rate / learning_rate_of(opt) if rho is None else rho
        self._local_step = local_step()

    def compute_gradients(
        self,
        loss: Any,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> Any:
        """The gradients of a loss and of the distance of the copies.

        Args:
            loss: A tensor whose sum is derived.
            var_list: The copies; None for all trainable variables.
            gate_gradients: As of the other optimizer.
            aggregation_method: As of the other optimizer.
            colocate_gradients_with_ops: As of the other optimizer.
            grad_loss: The gradient with respect to the loss, by default ones.

        Returns:
            A list of (gradient or None, variable).
        """
        copies = list(var_list) if var_list else trainable_variables()
        differences = [copy - self._local_map[copy] for copy in copies]
        distance = self._rho * add_n([gen_ops.l2_loss(each) for each in differences])
        return self._opt.compute_gradients(
            loss + distance, copies, gate_gradients, aggregation_method,
            colocate_gradients_with_ops, grad_loss,
        )  # fmt: skip

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        """An op that applies gradients to the copies, and exchanges them after a period.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a copy.
            global_step: A variable that is incremented after each period.
            name: Has no effect.

        Returns:
            The operation.
        """
        given = list(grads_and_vars)
        with local_slots():
            applied = self._opt.apply_gradients(given)
        copies = [variable for _, variable in with_gradients(given)]
        with control_dependencies([applied]):
            counted = assign_add(self._local_step, 1, name="local_step_update")
        with control_dependencies([counted]):
            steps = self._local_step.read_value()
            is_due = gen_ops.equal(gen_ops.floormod(steps, self._period), 0)
            return group(cond(is_due, lambda: self._exchange(copies, global_step), no_op))

    def _exchange(self, copies: List[Variable], global_step: Optional[Variable]) -> Operation:
        shared = [self._global_map[copy] for copy in copies]
        centers = [self._local_map[copy] for copy in copies]
        read = [assign(center, each.read_value()) for center, each in zip(centers, shared)]
        done: List[Any] = []
        with control_dependencies(read):
            changes = []
            for copy, center in zip(copies, centers):
                with device(copy.device):
                    difference = copy.read_value() - center.read_value()
                    changes.append(self._moving_rate * difference)
            # The next reads see the copies as they are now.
            with control_dependencies(changes):
                for copy, each, change in zip(copies, shared, changes):
                    with device(copy.device):
                        done.append(assign_sub(copy, change))
                    with device(each.device):
                        done.append(assign_add(each, change))
            if global_step is not None:
                with get_default_graph().colocate_with(global_step.op):
                    done.append(assign_add(global_step, 1))
        return group(*done)

    def get_init_op(self, task_index: int) -> Operation:
        """An op with which a worker begins: it copies the variables.

        Args:
            task_index: The number of the worker.

        Returns:
            The operation.

        Raises:
            ValueError: There are no variables.
        """
        copies = trainable_variables()
        if not copies:
            raise ValueError("There are no variables that the custom getter has made")
        done: List[Any] = []
        for copy in copies:
            value = self._global_map[copy].read_value()
            done += [assign(copy, value), assign(self._local_map[copy], value)]
        init_op = group(*done)
        return self._barrier(init_op, task_index) if self._synchronous else init_op

    def _barrier(self, before: Operation, task_index: int) -> Operation:
        """An op that ends when that of each worker has run."""
        queues = [
            FIFOQueue(
                self._num_worker, [dtypes.bool_], [[]], shared_name=f"variable_init_sync_queue{i}"
            )
            for i in range(self._num_worker)
        ]
        with control_dependencies([before]):
            told = [
                queue.enqueue(constant(False))
                for i, queue in enumerate(queues)
                if i != task_index
            ]
        heard = queues[task_index].dequeue_many(self._num_worker - 1)
        return group(before, *told, heard)

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> InitHook:
        """A hook that lets a worker begin with the values of the variables.

        Args:
            is_chief: Has no effect.
            task_index: The number of the worker.

        Returns:
            The hook.
        """
        return InitHook(self, task_index)

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Saver:
        """A saver that saves the variables under the names of their copies.

        Args:
            var_list: Variables, or a dict of them by their names in checkpoints; None for all
                trainable ones.
            name: The scope of its nodes.
            **kwargs: The other arguments of `tf.train.Saver`.

        Returns:
            The saver.

        Raises:
            RuntimeError: The custom getter has made no variables.
        """
        if not self._global_map:
            raise RuntimeError("There are no variables that the custom getter has made")
        chosen = trainable_variables() if var_list is None else var_list
        named = chosen if isinstance(chosen, dict) else by_name(list(chosen))
        swapped = {key: self._shared_of(each) for key, each in named.items()}
        return Saver(swapped, name=name, **kwargs)

    def _shared_of(self, saved: Any) -> Any:
        if isinstance(saved, list):
            return [self._shared_of(part) for part in saved]
        return self._global_map.get(saved, saved) if isinstance(saved, Variable) else saved
