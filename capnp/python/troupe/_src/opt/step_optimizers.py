"""Optimizers that look at the global step, or at what a loss is for."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Optional, Sequence

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.opt.adam_variants import LazyAdamOptimizer
from troupe._src.set_module import set_module
from troupe._src.summary import summary_ops
from troupe._src.train.adaptive_optimizers import AdagradOptimizer, AdamOptimizer
from troupe._src.train.global_step import get_global_step
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_scope import get_variable


@set_module("troupe.contrib.opt")
class AdamGSOptimizer(AdamOptimizer):
    """Adam that takes the powers of its betas from the global step, and keeps no variables of them.

    It is `tf.contrib.opt.AdamGSOptimizer`.

    Args:
        global_step: The variable of the step.
        learning_rate: A number, a scalar, or a function that gives one.
        beta1: The decay of the mean of gradients.
        beta2: The decay of the mean of their squares.
        epsilon: Keeps the divisor from 0.
        use_locking: Has no effect: an update of a tensor is one node.
        name: The name of the operations.
    """

    def __init__(
        self,
        global_step: Any = 0,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._global_step = global_step

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _get_beta_accumulators(self) -> Any:
        """The powers of the betas, which optimizers that are derived from it use."""
        step = math_ops.cast(gen_ops.identity(convert_to_tensor(self._global_step)) + 1, "float32")
        betas = [self._numbers["beta1"], self._numbers["beta2"]]
        first, second = (
            gen_ops.pow(math_ops.cast(each() if callable(each) else each, dtypes.float32), step)
            for each in betas
        )
        return first, second

    def _arguments(self, var: Variable) -> Dict[str, Any]:
        first, second = self._get_beta_accumulators()
        return {
            **super(AdamOptimizer, self)._arguments(var),
            "beta1_power": math_ops.cast(first, var.dtype),
            "beta2_power": math_ops.cast(second, var.dtype),
        }


@set_module("troupe.contrib.opt")
class LazyAdamGSOptimizer(AdamGSOptimizer, LazyAdamOptimizer):
    """An `AdamGSOptimizer` that decays the moments of only those rows that have gradients."""


@set_module("troupe.contrib.opt")
class RegAdagradOptimizer(AdagradOptimizer):
    """Adagrad whose learning rates need not decay by the gradients of a regularization.

    It is `tf.contrib.opt.RegAdagradOptimizer`.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        initial_accumulator_value: What the sum of squares begins with, positive.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "RegAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._should_update_slots = True

    @contextlib.contextmanager
    def avoid_updating_slots(self) -> Iterator[None]:
        """Updates that are added in this scope leave the sums of squares as they are.

        Yields:
            None.
        """
        before, self._should_update_slots = self._should_update_slots, False
        try:
            yield
        finally:
            self._should_update_slots = before

    def _arguments(self, var: Variable) -> Dict[str, Any]:
        return {**super()._arguments(var), "update_slots": self._should_update_slots}


@set_module("troupe.contrib.opt")
class DropStaleGradientOptimizer(Optimizer):
    """An optimizer that drops gradients while whose computation others have made too many steps.

    It is `tf.contrib.opt.DropStaleGradientOptimizer`.
    """

    def __init__(
        self,
        opt: Optimizer,
        staleness: int,
        use_locking: bool = False,
        name: str = "DropStaleGradient",
    ) -> None:
        """Another optimizer whose gradients may be dropped.

        Args:
            opt: The other one.
            staleness: How many steps others may make in the meantime.
            use_locking: Has no effect.
            name: The name of the operations.
        """
        super().__init__(use_locking, name)
        self._opt, self._staleness = opt, staleness
        self._local_step: Optional[Tensor] = None

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The gradients of the other optimizer, after the global step has been read.

        Args:
            loss: A scalar.
            *args: As for the other optimizer.
            **kwargs: As for the other optimizer.

        Returns:
            The gradients and their variables.

        Raises:
            ValueError: There is no global step.
        """
        graph, step = get_default_graph(), get_global_step()
        if step is None:
            raise ValueError("Global step is required to know how old gradients are")
        with graph.colocate_with(loss.op):
            self._local_step = convert_to_tensor(step) + 0
        with graph.control_dependencies([self._local_step]):
            return self._opt.compute_gradients(gen_ops.identity(loss), *args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """A slot of the other optimizer.

        Args:
            *args: As there.
            **kwargs: As there.

        Returns:
            The variable, or None.
        """
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> List[str]:
        """The names of slots of the other optimizer.

        Args:
            *args: As there.
            **kwargs: As there.

        Returns:
            The names.
        """
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Any = None,
        name: Optional[str] = None,
    ) -> Any:
        """Applies the gradients, or counts that they are dropped.

        Args:
            grads_and_vars: What `compute_gradients` gave.
            global_step: The variable of the step.
            name: The name of the operations.

        Returns:
            How often gradients have been dropped.

        Raises:
            ValueError: There is no global step, or no gradients were computed here.
        """
        if global_step is None or self._local_step is None:
            raise ValueError("The gradients of compute_gradients and a global_step are required")
        graph, pairs = get_default_graph(), list(grads_and_vars)
        with graph.colocate_with(global_step.op):
            dropped = get_variable("stale_counter", [], initializer=Zeros(), trainable=False)
        ready = [
            each.values.op if isinstance(each, IndexedSlices) else each.op
            for each, _ in pairs
            if each is not None
        ]
        with graph.control_dependencies(ready), graph.colocate_with(global_step.op):
            age = array_ops.reshape(global_step.read_value() - self._local_step, [])

        def accept() -> Tensor:
            applied: Operation = self._opt.apply_gradients(pairs, global_step, name)
            with graph.control_dependencies([applied]):
                return gen_ops.identity(constant(0.0))

        def drop() -> Tensor:
            return gen_ops.identity(constant(1.0))

        limit = math_ops.cast(self._staleness, age.dtype)
        total = dropped.assign_add(cond(gen_ops.less_equal(age, limit), accept, drop))
        share = dropped / math_ops.cast(convert_to_tensor(global_step) + 1, dtypes.float32)
        summary_ops.scalar("Gradient staleness percentage", share)
        return total
