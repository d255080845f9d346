"""An optimizer of several workers whose variables are the means of their copies."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.data_flow.accumulators import ConditionalAccumulator
from troupe._src.graph.elements import Operation
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import control_dependencies, device
from troupe._src.ops import creation_ops, gen_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.opt.local_copies import ModelAverageCustomGetter, local_step, with_gradients
from troupe._src.queues.queues import FIFOQueue
from troupe._src.set_module import set_module
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign, assign_add
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import trainable_variables


@set_module("troupe.contrib.opt")
class ModelAverageOptimizer(Optimizer):
    """Workers train copies; after some steps all of them go on with the mean of the copies.

    It is `tf.contrib.opt.ModelAverageOptimizer`. The chief sets the variables to the mean.

    Args:
        opt: The optimizer of the copies.
        num_worker: The number of workers.
        is_chief: Whether this worker is the chief.
        ma_custom_getter: The getter that made the variables.
        interval_steps: After how many steps of a worker.
        use_locking: Has no effect.
        name: The name of the operations.
    """

    def __init__(
        self,
        opt: Optimizer,
        num_worker: int,
        is_chief: bool,
        ma_custom_getter: ModelAverageCustomGetter,
        interval_steps: int = 100,
        use_locking: bool = True,
        name: str = "ModelAverageOptimizer",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._num_worker = num_worker
        self._is_chief = is_chief
        self._global_map = ma_custom_getter._global_map
        self._interval_steps = interval_steps
        self._local_step = local_step()

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients of a loss, as the other optimizer computes them.

        Args:
            *args: As of the other optimizer.
            **kwargs: As of the other optimizer.

        Returns:
            A list of (gradient or None, variable).
        """
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        """An op that applies gradients to the copies, and takes their mean after some steps.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a copy.
            global_step: A variable that is incremented with each mean.
            name: Has no effect.

        Returns:
            The operation.

        Raises:
            ValueError: There are no gradients, or there is no global step.
        """
        given = list(grads_and_vars)
        if not given:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        step = global_step
        applied = self._opt.apply_gradients(given)
        copies = [variable for _, variable in with_gradients(given)]
        with get_default_graph().control_dependencies(None):
            tools = self._accumulators(copies, step)
        with control_dependencies([applied]):
            counted = assign_add(self._local_step, 1, name="local_step_update")
        with control_dependencies([counted]):
            steps = self._local_step.read_value()
            is_due = gen_ops.equal(gen_ops.floormod(steps, self._interval_steps), 0)
            return group(cond(is_due, lambda: self._exchange(copies, step, *tools), no_op))

    def _accumulators(
        self, copies: List[Variable], global_step: Variable
    ) -> Tuple[FIFOQueue, List[ConditionalAccumulator]]:
        """What the workers share: the tokens with which they go on, and the sums of copies."""
        graph = get_default_graph()
        with graph.colocate_with(global_step.op):
            queue = FIFOQueue(-1, [dtypes.bool_], [[]], shared_name="sync_queue")
        made = []
        with graph.name_scope(None), graph.name_scope(f"{self._name}/global"):
            for copy in copies:
                shared = self._global_map[copy]
                with device(shared.device):
                    name = f"{shared.name}/var_accum"
                    made.append(ConditionalAccumulator(copy.dtype, copy.shape, shared_name=name))
        return queue, made

    def _exchange(
        self,
        copies: List[Variable],
        global_step: Variable,
        queue: FIFOQueue,
        accumulators: List[ConditionalAccumulator],
    ) -> Operation:
        shared = [self._global_map[copy] for copy in copies]
        given = []
        for copy, each, accumulator in zip(copies, shared, accumulators):
            with device(each.device):
                value = copy.read_value()
                given.append(accumulator.apply_grad(value, global_step.read_value()))
        if self._is_chief:
            done: List[Any] = []
            with control_dependencies(given):
                for each, accumulator in zip(shared, accumulators):
                    with device(each.device):
                        done.append(assign(each, accumulator.take_grad(self._num_worker)))
                with device(global_step.device):
                    done.append(assign_add(global_step, 1))
            with control_dependencies(done), device(global_step.device):
                tokens = creation_ops.fill([self._num_worker - 1], constant(False))
                go_on: Any = queue.enqueue_many(tokens)
        else:
            with control_dependencies(given), device(global_step.device):
                go_on = queue.dequeue()
        with control_dependencies([go_on]):
            return self._copy(copies)

    def _copy(self, copies: List[Variable]) -> Operation:
        if not copies:
            raise ValueError("There are no variables that the custom getter has made")
        done = []
        for copy in copies:
            with device(copy.device):
                done.append(assign(copy, self._global_map[copy].read_value()))
        return group(*done)

    def get_init_op(self) -> Operation:
        """An op that copies the variables.

        Returns:
            The operation.

        Raises:
            ValueError: There are no variables.
        """
        return self._copy(trainable_variables())

    def make_session_run_hook(self) -> SessionRunHook:
        """A hook for the sessions of all workers.

        As in TensorFlow it leaves the copies at their initial values.

        Returns:
            The hook.
        """
        return _AddsInitOp(self)


class _AddsInitOp(SessionRunHook):
    def __init__(self, optimizer: ModelAverageOptimizer) -> None:
        self._optimizer = optimizer

    def begin(self) -> None:
        """Adds the op, while the graph may still change."""
        self._optimizer.get_init_op()
