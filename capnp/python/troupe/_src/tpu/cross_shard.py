"""What programs for TPUs sum among their cores, of which there is one without TPUs."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.losses import Reduction
from troupe._src.opt.wrappers import OptimizerWrapper
from troupe._src.ops.array_ops import identity
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.variables.variable import Variable


@set_module("troupe.tpu")
class CrossShardOptimizer(OptimizerWrapper):
    """Another optimizer, whose gradients are averaged among the cores of TPUs.

    Without TPUs there is one core: the gradients are those of the other optimizer. TensorFlow's
    warning that it assumes so is logged.

    Args:
        opt: The other optimizer.
        reduction: How the losses of the cores become one, SUM or MEAN of `tf.losses.Reduction`.
        name: The name of the operations.
        group_assignment: The cores of each group, here `[[0]]`, or None.

    Raises:
        ValueError: The reduction is another one.
    """

    def __init__(
        self,
        opt: Optimizer,
        reduction: str = Reduction.MEAN,
        name: str = "CrossShardOptimizer",
        group_assignment: Optional[List[List[int]]] = None,
    ) -> None:
        if reduction not in (Reduction.SUM, Reduction.MEAN):
            raise ValueError(f"Unsupported reduction: {reduction}.")
        super().__init__(opt, False, name)
        self._group_assignment = group_assignment

    def compute_gradients(  # type: ignore[override]  # the other optimizer's arguments
        self, loss: Any, var_list: Any = None, **kwargs: Any
    ) -> List[Tuple[Optional[Tensor], Variable]]:
        """The gradients of a loss, as the other optimizer computes them.

        Args:
            loss: As of the other optimizer.
            var_list: As of the other optimizer.
            **kwargs: As of the other optimizer.

        Returns:
            A list of (gradient or None, variable).

        Raises:
            ValueError: The groups have other cores than the one that there is.
        """
        logging.warning(
            "CrossShardOptimizer should be used within a tpu_shard_context, but got unset "
            "number_of_shards. Assuming 1."
        )
        _check_groups(self._group_assignment)
        found: List[Tuple[Optional[Tensor], Variable]] = super().compute_gradients(
            loss, var_list=var_list, **kwargs
        )
        return found

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        return self._optimizer.apply_gradients(grads_and_vars, global_step, name)


@set_module("troupe.tpu")
def cross_replica_sum(
    x: TensorLike, group_assignment: Optional[List[List[int]]] = None, name: Optional[str] = None
) -> Tensor:
    """The sum of a tensor among the cores of TPUs: without them, the tensor.

    Args:
        x: The tensor.
        group_assignment: The cores of each group, here `[[0]]`, or None.
        name: The name of the operation.

    Returns:
        The tensor.

    Raises:
        ValueError: The groups have other cores than the one that there is.
    """
    _check_groups(group_assignment)
    return identity(x, name=name)


def _check_groups(groups: Any) -> None:
    if not groups:
        return
    if not (isinstance(groups, list) and all(isinstance(each, list) for each in groups)):
        raise ValueError(f"group_assignment must be a list of list. Got {groups}")
    if groups != [[0]]:
        raise ValueError(
            f"group_assignment must be a permutation of range(1). Got group_assignment={groups}"
        )
