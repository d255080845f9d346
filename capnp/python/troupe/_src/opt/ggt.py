"""An optimizer that preconditions all gradients together by those of the latest steps."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.rearrange_ops import eye, svd
from troupe._src.optimizer_v2.optimizer import OptimizerV2
from troupe._src.optimizer_v2.state import StepState
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add, assign_sub
from troupe._src.variables.scatter_ops import scatter_update
from troupe._src.variables.variable import Variable


@set_module("troupe.contrib.opt")
class GGTOptimizer(OptimizerV2):
    """Full-matrix Adagrad over a window of steps (Agarwal et al., The case for full-matrix, 2018).

    It is `tf.contrib.opt.GGTOptimizer`. The gradients of all variables are one vector g. With
    m <- beta1 * m + (1 - beta1) * g, and the matrix M of the latest m, divided by the root of their
    number, the step goes against (M M^T)^(-1/2) m, which the eigenvectors of the small matrix M^T M
    give.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        beta1: The decay of the mean of gradients, as such.
        use_locking: Has no effect.
        name: The name of the operations.
        window: How many means are kept.
        eps: What the least singular value must exceed for the part of m beside M to count.
        svd_eps: Is added to the diagonal of M^T M.
        sigma_eps: Is added to the singular values.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        use_locking: bool = False,
        name: str = "GGT",
        window: int = 10,
        eps: Any = 1e-4,
        svd_eps: Any = 1e-6,
        sigma_eps: Any = 1e-2,
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("lr", learning_rate)
        self._set_hyper("beta1", beta1)
        self._set_hyper("window", window)
        self._set_hyper("eps", eps)
        self._set_hyper("svd_eps", svd_eps)
        self._set_hyper("sigma_eps", sigma_eps)
        self.index_dict: Dict[str, int] = {}
        self.shape_dict: Dict[str, int] = {}

    def _create_vars(self, var_list: Sequence[Variable], state: StepState) -> None:
        sizes = {var.name: int(var.shape.num_elements() or 0) for var in var_list}
        self.shape_dict = dict(sorted(sizes.items()))
        total = 0
        for name, size in self.shape_dict.items():
            self.index_dict[name] = total
            total += size
        dtype = var_list[0].dtype
        state.create_non_slot(creation_ops.zeros([], dtype), "global_step")
        window = state.get_hyper("window")
        state.create_non_slot(creation_ops.zeros([window, total], dtype), "grad_buffer")
        state.create_non_slot(creation_ops.zeros([total], dtype), "moment1")
        state.create_non_slot(creation_ops.zeros([total], dtype), "flat_grad")

    def _prepare(self, state: StepState) -> None:  # type: ignore[override]
        self._updated_variables: List[Variable] = []

    def _range_of(self, var: Variable) -> Tuple[int, int]:
        begin = self.index_dict[var.name]
        return begin, begin + self.shape_dict[var.name]

    def _resource_apply_dense(  # type: ignore[override]
        self, grad: Tensor, var: Variable, state: StepState
    ) -> Any:
        self._updated_variables.append(var)
        places = math_ops.range(*self._range_of(var))
        flat = state.get_non_slot("flat_grad")
        return scatter_update(flat, places, array_ops.reshape(grad, [-1]))

    def _finish(self, state: StepState) -> Any:  # type: ignore[override]
        dtype = self._updated_variables[0].dtype
        count = convert_to_tensor(assign_add(state.get_non_slot("global_step"), 1.0))
        beta1, mean = state.get_hyper("beta1", dtype), state.get_non_slot("moment1")
        assert mean is not None  # `_create_vars` made it
        gradient = state.get_non_slot("flat_grad")
        moment = convert_to_tensor(mean.assign(beta1 * mean + (1.0 - beta1) * gradient))
        window = state.get_hyper("window")
        place = gen_ops.floormod(math_ops.cast(count - 1.0, dtypes.int32), window)
        buffer = convert_to_tensor(
            scatter_update(state.get_non_slot("grad_buffer"), place, moment)
        )
        steps = gen_ops.minimum(count, math_ops.cast(window, dtype))
        kept = array_ops.transpose(math_ops.divide(buffer, gen_ops.sqrt(steps)))
        change = self._change(kept, array_ops.expand_dims(moment, -1), state, dtype)
        rate, updates = state.get_hyper("lr", dtype), []
        for var in self._updated_variables:
            begin, end = self._range_of(var)
            own = array_ops.reshape(change[begin:end], var.shape.as_list())
            updates.append(assign_sub(var, rate * own))
        return group(*updates)

    def _change(self, kept: Tensor, moment: Tensor, state: StepState, dtype: Any) -> Tensor:
        """The direction of the step, [n, 1], from the latest means [n, window]."""
        unit = eye(state.get_hyper("window"), dtype=dtype)
        damping = unit * state.get_hyper("svd_eps", dtype)
        squares = math_ops.matmul(kept, kept, transpose_a=True)
        values, vectors, _ = svd(squares + damping)
        roots = gen_ops.sqrt(values)
        least = math_ops.reduce_min(roots)
        one = math_ops.cast(1.0, dtype)
        projected = math_ops.matmul(kept, moment, transpose_a=True)

        def scaled(factors: Tensor) -> Tensor:
            inner = math_ops.matmul(vectors, projected, transpose_a=True)
            factored = math_ops.matmul(raw_ops.Diag(diagonal=factors), inner)
            return math_ops.matmul(kept, math_ops.matmul(vectors, factored))

        cubes = gen_ops.pow(roots + state.get_hyper("sigma_eps", dtype), 3.0)
        head = scaled(math_ops.divide(one, cubes))
        tail = math_ops.divide(moment - scaled(math_ops.divide(one, values)), least)
        is_regular = gen_ops.greater(least, state.get_hyper("eps", dtype))
        change: Tensor = cond(is_regular, lambda: head + tail, lambda: gen_ops.identity(head))
        return change
