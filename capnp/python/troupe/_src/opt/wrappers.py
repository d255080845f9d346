"""What changes the updates of another optimizer."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.checkpoints.saved_parts import by_name
from troupe._src.checkpoints.saver import Saver
from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor, flatten
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import creation_ops, math_ops
from troupe._src.ops.arithmetic_ops import not_equal
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.ops.clip_ops import clip_by_global_norm, clip_by_norm
from troupe._src.ops.selection_ops import gather
from troupe._src.optimizer_v2.optimizer import OptimizerV2
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.train.moving_averages import ExponentialMovingAverage
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import global_variables


class OptimizerWrapper(Optimizer):
    """An optimizer whose gradients and slots are those of another.

    Args:
        opt: The other optimizer.
        use_locking: Has no effect.
        name: The name of the operations.
    """

    def __init__(self, opt: Optimizer, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._optimizer = opt

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients of a loss, as the other optimizer computes them.

        Args:
            *args: As of the other optimizer.
            **kwargs: As of the other optimizer.

        Returns:
            A list of (gradient or None, variable).
        """
        return self._optimizer.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Optional[Variable]:
        """A slot of the other optimizer.

        Args:
            *args: As of the other optimizer.
            **kwargs: As of the other optimizer.

        Returns:
            A variable; None where there is none.
        """
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> List[str]:
        """The names of all slots of the other optimizer, in order.

        Args:
            *args: As of the other optimizer.
            **kwargs: As of the other optimizer.

        Returns:
            A list of names.
        """
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self) -> List[Variable]:
        """The variables of the other optimizer's state in the default graph."""
        return self._optimizer.variables()


@set_module("troupe.contrib.opt")
class MovingAverageOptimizer(OptimizerWrapper):
    """Updates variables by another optimizer, and then the moving averages of the variables.

    It is `tf.contrib.opt.MovingAverageOptimizer`.

    Args:
        opt: The optimizer that updates the variables.
        average_decay: The decay of the averages.
        num_updates: As of `tf.train.ExponentialMovingAverage`.
        sequential_update: Whether the averages are updated after the variables, not at the same
            time.
    """

    def __init__(
        self,
        opt: Optimizer,
        average_decay: Any = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        super().__init__(opt, False, "MovingAverage")
        # Programs look at it by this name.
        self._ema = ExponentialMovingAverage(average_decay, num_updates)
        self._sequential_update = sequential_update
        self._swapped: Optional[Dict[Variable, Variable]] = None

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        pairs = list(grads_and_vars)
        train_op = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [variable for gradient, variable in pairs if gradient is not None]
        with get_default_graph().control_dependencies([train_op] * self._sequential_update):
            average_op = self._ema.apply(variables)
        self._swapped = {}
        for variable in variables:
            average = self._ema.average(variable)
            assert average is not None
            self._swapped.update({variable: average, average: variable})
        return group(train_op, average_op, name="train_with_avg")

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Saver:
        """A saver for which the variables and their averages have each other's names.

        An ordinary saver of a graph for evaluation then restores the averages.

        Args:
            var_list: Variables, or a dict of them by their names in checkpoints; None for all
                global ones.
            name: The scope of its nodes.
            **kwargs: The other arguments of `tf.train.Saver`.

        Returns:
            The saver.

        Raises:
            RuntimeError: The optimizer has not been used yet.
            ValueError: A variable is saved without its average.
        """
        if self._swapped is None:
            raise RuntimeError("`minimize` or `apply_gradients` comes before `swapping_saver`.")
        chosen = global_variables() if var_list is None else var_list
        named = chosen if isinstance(chosen, dict) else by_name(list(chosen))
        saved = {each for each in flatten(list(named.values())) if isinstance(each, Variable)}
        for variable in saved & self._swapped.keys():
            if self._swapped[variable] not in saved:
                raise ValueError(
                    f"{self._swapped[variable].op.name} must be saved, because it has the place of "
                    f"{variable.op.name} in the checkpoint."
                )
        swapped = {key: self._swapped_for(each) for key, each in named.items()}
        return Saver(swapped, name=name, **kwargs)

    def _swapped_for(self, saved: Any) -> Any:
        """What is saved in the place of a variable, or of the parts of one."""
        if isinstance(saved, list):
            return [self._swapped_for(part) for part in saved]
        others: Dict[Any, Any] = self._swapped or {}
        return others.get(saved, saved) if isinstance(saved, Variable) else saved


@set_module("troupe.contrib.opt")
class VariableClippingOptimizer(OptimizerWrapper):
    """Updates variables by another optimizer, and then scales down those whose norm is too large.

    It is `tf.contrib.opt.VariableClippingOptimizer`. Of a variable whose gradient is rows, only
    those are scaled.

    Args:
        opt: The optimizer that updates the variables.
        vars_to_clip_dims: {variable: the axes that a norm is over}.
        max_norm: The greatest norm that remains.
        use_locking: Has no effect.
        colocate_clip_ops_with_vars: Has no effect: the clipped values are where the variables are.
        name: The name of the operations.
    """

    def __init__(
        self,
        opt: Optimizer,
        vars_to_clip_dims: Dict[Variable, Sequence[int]],
        max_norm: Any,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(opt, use_locking, name)
        self._axes = {variable: list(axes) for variable, axes in vars_to_clip_dims.items()}
        self._max_norm = max_norm

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        graph, pairs = get_default_graph(), list(grads_and_vars)
        with graph.name_scope(name or self._name):
            update = self._optimizer.apply_gradients(pairs, global_step=global_step)
            clipped = []
            for gradient, variable in pairs:
                if gradient is None or variable not in self._axes:
                    continue
                with graph.control_dependencies([update]), graph.colocate_with(variable.op):
                    clipped.append(self._clip(gradient, variable))
            return group(update, *clipped)

    def _clip(self, gradient: Any, variable: Variable) -> Any:
        axes = self._axes[variable]
        if isinstance(gradient, IndexedSlices) and 0 not in axes:
            rows = gather(variable.read_value(), gradient.indices)
            clipped = clip_by_norm(rows, self._max_norm, axes)
            return variable.scatter_update(IndexedSlices(clipped, gradient.indices))
        if isinstance(gradient, IndexedSlices):
            logging.warning("%s is clipped as a whole, because axis 0 is clipped.", variable.name)
        return variable.assign(clip_by_norm(variable.read_value(), self._max_norm, axes))


@set_module("troupe.contrib.opt")
class MultitaskOptimizerWrapper:
    """Changes an optimizer so that gradients of zeros change neither variables nor slots.

    It is `tf.contrib.opt.MultitaskOptimizerWrapper`, for losses of several tasks of which a batch
    may lack some. It has all attributes of the optimizer.

    Args:
        opt: The optimizer.

    Raises:
        TypeError: That is no `tf.train.Optimizer`.
    """

    def __init__(self, opt: Optimizer) -> None:
        if not isinstance(opt, Optimizer):
            raise TypeError(f"{opt!r} is not a tf.train.Optimizer")
        self._opt = opt
        name = "_updated" if isinstance(opt, OptimizerV2) else "_update"
        update = getattr(opt, name)

        def update_unless_zero(gradient: Any, *where: Any) -> Any:
            is_sparse = isinstance(gradient, IndexedSlices)
            values = gradient.values if is_sparse else gradient
            is_any = math_ops.reduce_any(not_equal(values, creation_ops.zeros_like(values)))
            return cond(is_any, lambda: group(update(gradient, *where)), no_op)

        setattr(opt, name, update_unless_zero)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)


def clip_gradients_by_global_norm(
    gradients_variables: GradientsAndVariables, clip_norm: Any = 20.0
) -> Tuple[List[Tuple[Any, Variable]], Tensor]:
    """Scales gradients down where their common norm is greater than a number.

    It is `tf.contrib.opt.clip_gradients_by_global_norm`, of a `MultitaskOptimizerWrapper`.

    Args:
        gradients_variables: Pairs of a gradient, or None, and a variable.
        clip_norm: The greatest norm that remains, a number or a scalar.

    Returns:
        The pairs, and the norm before.
    """
    pairs = list(gradients_variables)
    clipped, norm = clip_by_global_norm([gradient for gradient, _ in pairs], clip_norm)
    return list(zip(clipped, [variable for _, variable in pairs])), norm
