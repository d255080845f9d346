"""Synchronous training by replicas, with backup workers."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.data_flow.accumulators import (
    ConditionalAccumulator,
    ConditionalAccumulatorBase,
    SparseConditionalAccumulator,
)
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import raw_ops
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.platform import logging
from troupe._src.queues.queue_runner import QueueRunner
from troupe._src.queues.queues import FIFOQueue
from troupe._src.set_module import set_module
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.train.optimizer import Optimizer
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import global_variables, report_uninitialized_variables


@set_module("troupe.train")
class SyncReplicasOptimizer(Optimizer):
    """Makes another optimizer update variables by the gradients of several replicas at once.

    Each replica adds its gradients to an accumulator for each variable, and then waits for a token.
    One of the replicas, the chief, also runs a thread that takes the mean of
    `replicas_to_aggregate` gradients from each accumulator, applies them, and hands out tokens:
    the new global step, which is what the next gradients of a replica count as computed at.
    Gradients that come too late are dropped. With more replicas than gradients the others are
    backups, so that a replica that is slow or lost delays nobody.

    The hook of `make_session_run_hook` prepares a session for that.
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: Optional[int] = None,
        variable_averages: Any = None,
        variables_to_average: Optional[Sequence[Variable]] = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        """Wraps an optimizer.

        Args:
            opt: The optimizer that computes and applies the gradients.
            replicas_to_aggregate: How many gradients an update takes.
            total_num_replicas: How many replicas there are, by default that many; if more, the
                others are backups, and if fewer, they compute several gradients for an update.
            variable_averages: An `ExponentialMovingAverage` to be updated after each update, or
                None.
            variables_to_average: The variables that it averages.
            use_locking: Accepted; updates are always atomic.
            name: Of the operations.
        """
        super().__init__(use_locking, name)
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        logging.info(
            "SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s",
            replicas_to_aggregate,
            total_num_replicas,
        )
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total_num_replicas
        self._tokens_per_step = max(total_num_replicas, replicas_to_aggregate)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._global_step: Optional[Variable] = None
        self._sync_token_queue: Optional[FIFOQueue] = None
        self._chief_queue_runner: Optional[QueueRunner] = None
        self._accumulator_list: List[Tuple[ConditionalAccumulatorBase, str]] = []

    def _settings(self) -> Dict[str, Any]:
        return {
            "replicas_to_aggregate": self._replicas_to_aggregate,
            "total_num_replicas": self._total_num_replicas,
            "opt": self._opt,
        }

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients of the wrapped optimizer: each replica may change its own.

        Args:
            *args: Those of the wrapped optimizer.
            **kwargs: Those of the wrapped optimizer.

        Returns:
            A list of (gradient or None, variable).
        """
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Any:
        """What a replica runs: it hands its gradients in, and waits for a token.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a variable.
            global_step: The variable that counts updates.
            name: Accepted.

        Returns:
            The operation; its value is the local step, at which the next gradients are computed.

        Raises:
            ValueError: If there are no variables, no global step, or a gradient is no tensor.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        self._local_step = Variable(
            convert_to_tensor(0, global_step.dtype.base_dtype),
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            name="sync_rep_local_step",
        )
        self.local_step_init_op = self._local_step.assign(global_step).op
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        graph = get_default_graph()
        with graph.name_scope(None), graph.name_scope(self._name):
            applied, aggregated = self._accumulate(pairs)
            with graph.device(global_step.device), graph.name_scope(None):
                update = self._opt.apply_gradients(aggregated, global_step)
            train_op = self._exchange_tokens(applied, update)
            self._set_accumulator_steps()
        self._gradients_applied = True
        return train_op

    def _accumulate(self, pairs: Any) -> Tuple[List[Operation], List[Tuple[Any, Variable]]]:
        """The operations that hand gradients in, and what is taken of all, where variables are."""
        applied, aggregated = [], []
        for gradient, variable in pairs:
            if gradient is None:
                aggregated.append((None, variable))
                continue
            with get_default_graph().device(variable.device):
                apply, taken = self._accumulate_one(gradient, variable)
            applied.append(apply)
            aggregated.append((taken, variable))
        return applied, aggregated

    def _accumulate_one(self, gradient: Any, variable: Variable) -> Tuple[Operation, Any]:
        shared_name = f"{variable.name}/grad_accum"
        required = self._replicas_to_aggregate
        if isinstance(gradient, Tensor):
            dense = ConditionalAccumulator(
                gradient.dtype, shape=variable.get_shape(), shared_name=shared_name
            )
            self._accumulator_list.append((dense, variable.device))
            return dense.apply_grad(gradient, self._local_step), dense.take_grad(required)
        if not isinstance(gradient, IndexedSlices):
            raise ValueError("Unknown grad type!")
        sparse = SparseConditionalAccumulator(gradient.dtype, shape=(), shared_name=shared_name)
        self._accumulator_list.append((sparse, variable.device))
        apply = sparse.apply_indexed_slices_grad(gradient, self._local_step)
        return apply, sparse.take_indexed_slices_grad(required)

    def _exchange_tokens(self, applied: List[Operation], update: Operation) -> Any:
        """Adds the queue of tokens: replicas take them, and the chief's thread hands them out."""
        graph, global_step = get_default_graph(), self._global_step
        assert global_step is not None
        with graph.device(global_step.device), graph.name_scope(None):
            tokens = FIFOQueue(
                -1,
                global_step.dtype.base_dtype,
                shapes=(),
                name="sync_token_q",
                shared_name="sync_token_q",
            )
            # The runner closes its queue, and nobody could open that of the tokens again.
            closed_by_runner = FIFOQueue(
                1, dtypes.int32, shapes=(), name="dummy_queue", shared_name="dummy_queue"
            )
            with graph.control_dependencies(applied):
                token = tokens.dequeue()
            train_op = self._local_step.assign(token)
            with graph.control_dependencies([update]):
                hand_out = tokens.enqueue_many((self._steps(self._tokens_per_step),))
            if self._variable_averages is not None:
                with graph.control_dependencies([hand_out]):
                    hand_out = self._variable_averages.apply(self._variables_to_average)
        self._sync_token_queue = tokens
        self._chief_queue_runner = QueueRunner(closed_by_runner, [hand_out])
        return train_op

    def _steps(self, count: int) -> Tensor:
        """So many tokens: the global step, read after what the operation waits for."""
        assert self._global_step is not None
        steps: Tensor = raw_ops.Fill(dims=[count], value=convert_to_tensor(self._global_step))
        return steps

    def _set_accumulator_steps(self) -> None:
        assert self._global_step is not None
        initializers: List[Any] = [self.local_step_init_op]
        for accumulator, device in self._accumulator_list:
            with get_default_graph().device(device):
                initializers.append(
                    accumulator.set_global_step(self._global_step, name="SetGlobalStep")
                )
        self.chief_init_op = group(*initializers)

    def get_chief_queue_runner(self) -> QueueRunner:
        """The runner of the chief's thread: it takes gradients, applies them, hands out tokens.

        Returns:
            The runner.

        Raises:
            ValueError: If gradients were not applied yet.
        """
        if not self._gradients_applied:
            raise ValueError("Should be called after apply_gradients().")
        assert self._chief_queue_runner is not None
        return self._chief_queue_runner

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """A slot of the wrapped optimizer.

        Args:
            *args: The variable, and the name of the slot.
            **kwargs: The same by name.

        Returns:
            A variable; None where there is none.
        """
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """The names of the slots of the wrapped optimizer.

        Args:
            *args: Have no effect.
            **kwargs: Have no effect.

        Returns:
            A list of names.
        """
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> List[Variable]:
        """The state of the wrapped optimizer, without the local step."""
        return self._opt.variables()

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """Hands out the first tokens, which the chief is to run once before the training.

        Args:
            num_tokens: How many, by default as many as an update takes gradients.

        Returns:
            The operation.

        Raises:
            ValueError: If gradients were not applied yet, or if so few tokens make the replicas
                wait before there are enough gradients for an update.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs "
                f"{needed} (needed)"
            )
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        graph = get_default_graph()
        assert self._global_step is not None and self._sync_token_queue is not None
        with graph.device(self._global_step.device), graph.name_scope(None):
            return self._sync_token_queue.enqueue_many((self._steps(num_tokens),))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """A hook that prepares each new session.

        Args:
            is_chief: Whether it is the chief's: then it also hands out the first tokens and starts
                the thread that applies gradients.
            num_tokens: As that of `get_init_tokens_op`.

        Returns:
            The hook.
        """
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(SessionRunHook):
    """Prepares the sessions of a replica."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._sync_optimizer = optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens
        self._runner: Optional[QueueRunner] = None
        self._init_tokens_op: Optional[Operation] = None

    def begin(self) -> None:
        """Adds what it runs to the graph; ValueError if gradients were not applied yet."""
        optimizer = self._sync_optimizer
        if not optimizer._gradients_applied:
            raise ValueError(
                "SyncReplicasOptimizer.apply_gradient should be called before using the hook."
            )
        self._local_init_op = optimizer.local_step_init_op
        self._ready_for_local_init_op = optimizer.ready_for_local_init_op
        if self._is_chief:
            self._local_init_op = optimizer.chief_init_op
            self._runner = optimizer.get_chief_queue_runner()
            self._init_tokens_op = optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Sets the steps of the replica and, for the chief, starts handing out tokens.

        Args:
            session: The new session.
            coord: Stops the chief's thread, and gets its errors.

        Raises:
            RuntimeError: If a global variable has no value.
        """
        missing = session.run(self._ready_for_local_init_op)
        if len(missing) > 0:
            names = ", ".join(name.decode() for name in missing)
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Init op: {self._local_init_op.name}, error: Variables not initialized: {names}"
            )
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._runner is not None:
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
