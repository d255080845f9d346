"""An optimizer that preconditions gradients by a matrix for each dimension of a variable."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Union

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.linear_ops import tensordot
from troupe._src.opt.matrix_roots import matrix_inverse_pth_root, matrix_square_root
from troupe._src.ops import (
    array_ops, creation_ops, gen_ops, math_ops, raw_ops,
)  # fmt: skip
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import eye, svd
from troupe._src.ops.selection_ops import gather, where
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import Optimizer
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign, assign_add, assign_sub
from troupe._src.variables.scatter_ops import scatter_add
from troupe._src.variables.variable import Variable

Hyperparameter = Union[float, Callable[[Any], Any]]


@set_module("troupe.contrib.opt")
class ShampooOptimizer(Optimizer):
    """Adagrad with a matrix for each dimension of a variable (Gupta et al., Shampoo, 2018).

    It is `tf.contrib.opt.ShampooOptimizer`. With gbar <- gbar_decay * gbar + gbar_weight * g, and
    for each dimension j the matrix G_j <- mat_gbar_decay * G_j + mat_gbar_weight * g g^T, where the
    product is over all other dimensions, w <- w - learning_rate * gbar * G_1^(-alpha / n) * ... *
    G_n^(-alpha / n). Each of these numbers may also be a function of the step.

    Args:
        global_step: The variable of the step.
        max_matrix_size: Greater dimensions have a vector, the diagonal, in the place of the matrix.
        gbar_decay: The decay of the sum of gradients.
        gbar_weight: The weight of a gradient in it.
        mat_gbar_decay: The decay of the sums of products of gradients.
        mat_gbar_weight: The weight of a product in it.
        learning_rate: The learning rate.
        svd_interval: After how many steps the powers of the matrices are computed again.
        precond_update_interval: After how many steps the matrices change.
        epsilon: Is added to the diagonals.
        alpha: The sum of the powers.
        use_iterative_root: Whether powers are found by iteration, not from singular values.
        use_locking: Has no effect.
        name: The name of the operations.
    """

    def __init__(
        self,
        global_step: Any = 0,
        max_matrix_size: int = 768,
        gbar_decay: Hyperparameter = 0.0,
        gbar_weight: Hyperparameter = 1.0,
        mat_gbar_decay: Hyperparameter = 1.0,
        mat_gbar_weight: Hyperparameter = 1.0,
        learning_rate: Hyperparameter = 1.0,
        svd_interval: Hyperparameter = 1,
        precond_update_interval: Hyperparameter = 1,
        epsilon: float = 1e-4,
        alpha: Hyperparameter = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "Shampoo",
    ) -> None:
        super().__init__(use_locking, name)
        self._global_step = math_ops.cast(global_step, dtypes.float32)
        self._max_matrix_size = max_matrix_size
        self._gbar_decay, self._gbar_weight = gbar_decay, gbar_weight
        self._mat_gbar_decay, self._mat_gbar_weight = mat_gbar_decay, mat_gbar_weight
        self._learning_rate = learning_rate
        self._svd_interval = svd_interval
        self._precond_update_interval = precond_update_interval
        self._epsilon, self._alpha = epsilon, alpha
        self._use_iterative_root = use_iterative_root

    def _keeps_powers(self) -> bool:
        return callable(self._svd_interval) or self._svd_interval > 1

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "gbar", self._name)
            for i, size in enumerate(map(int, var.shape)):
                if size > self._max_matrix_size:
                    first = creation_ops.zeros([size], var.dtype)
                else:
                    first = creation_ops.zeros([size, size], var.dtype)
                    if self._keeps_powers():
                        unit = eye(size, dtype=var.dtype)
                        self._get_or_make_slot(var, unit, f"H_{i}", self._name)
                self._get_or_make_slot(var, first, f"Gbar_{i}", self._name)

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        return self._apply_gradient(grad, var)

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        if int(var.shape[0]) <= self._max_matrix_size or self._gbar_decay != 0.0:
            shape = array_ops.shape(var, out_type=indices.dtype)
            places = array_ops.expand_dims(indices, axis=1)
            dense = raw_ops.ScatterNd(indices=places, updates=grad, shape=shape)
            return self._apply_gradient(dense, var)
        return self._apply_gradient(grad, var, indices)

    def _apply_gradient(
        self, grad: Tensor, var: Variable, indices: Optional[Tensor] = None
    ) -> Any:
        """Updates a variable, or the rows of it that the indices name."""
        step = self._global_step + 1
        result = grad
        if indices is None:
            weighted = _at(self._gbar_weight, step) * grad
            result = _accumulate(self._slot_of(var, "gbar"), self._gbar_decay, step, weighted)
        elif self._gbar_decay != 0.0:
            logging.warning("Not applying momentum for variable: %s", var.name)
        sizes = [int(size) for size in var.shape]
        exponent = -_at(self._alpha, step) / len(sizes)
        for i, size in enumerate(sizes):
            if size <= self._max_matrix_size:
                power = self._matrix_power(var, grad, i, exponent, step)
                result = tensordot(result, power, axes=([0], [0]), name=f"precond_{i}")
            else:
                rows = indices if i == 0 else None
                scale = self._vector_power(var, grad, i, exponent, step, rows, indices is not None)
                # As the product with a matrix does it, the first dimension becomes the last one.
                turned = array_ops.transpose(result, [*range(1, len(sizes)), 0])
                result = turned * scale
        change = _at(self._learning_rate, step) * result
        return assign_sub(var, change) if indices is None else scatter_add(var, indices, -change)

    def _matrix_power(
        self, var: Variable, grad: Tensor, i: int, exponent: Any, step: Tensor
    ) -> Tensor:
        """Adds a gradient to the matrix of a dimension; the result is a power of the matrix."""
        size, slot = int(var.shape[i]), self._slot_of(var, f"Gbar_{i}")
        others = [axis for axis in range(len(var.shape)) if axis != i]
        interval = _at(self._precond_update_interval, step)
        weight = _at(self._mat_gbar_weight, step) * interval

        def add() -> Tensor:
            products = tensordot(grad, grad, axes=(others, others), name=f"grad_outer_{i}")
            return _accumulate(slot, self._mat_gbar_decay, step, weight * products)

        is_due = gen_ops.less(gen_ops.floormod(step, _float(interval)), 1.0)
        matrix = cond(is_due, add, slot.read_value) / float(size)
        if not self._keeps_powers():
            return self._power(matrix, size, exponent)
        kept = self._slot_of(var, f"H_{i}")
        is_due = gen_ops.less(gen_ops.floormod(step, _float(_at(self._svd_interval, step))), 1.0)
        power: Tensor = cond(
            is_due,
            lambda: convert_to_tensor(assign(kept, self._power(matrix, size, exponent))),
            kept.read_value,
        )
        return power

    def _power(self, matrix: Tensor, size: int, exponent: Any) -> Tensor:
        with name_scope("matrix_iterative_power"):
            if self._use_iterative_root:
                root = matrix_square_root(matrix, size, 100, self._epsilon)
                return matrix_inverse_pth_root(root, size, 2 * exponent, 100, 1e-6, 0.0)
            if size == 1:
                return gen_ops.pow(matrix + self._epsilon, exponent)
            damped = matrix + self._epsilon * eye(size, dtype=matrix.dtype)
            values, left, right = svd(damped, full_matrices=True)
            powers = gen_ops.pow(gen_ops.maximum(values, self._epsilon), exponent)
            return math_ops.matmul(right * powers, array_ops.transpose(left))

    def _vector_power(
        self,
        var: Variable,
        grad: Tensor,
        i: int,
        exponent: Any,
        step: Tensor,
        rows: Optional[Tensor],
        is_sparse: bool,
    ) -> Tensor:
        """Adds a gradient to the diagonal of a dimension; the result is a power of it."""
        others: List[int] = [axis for axis in range(len(var.shape)) if axis != i]
        squares = grad * grad
        if others:
            divisor = 1.0 if is_sparse else float(int(var.shape[i]))
            squares = math_ops.reduce_sum(squares, axis=others) / divisor
        slot = self._slot_of(var, f"Gbar_{i}")
        weighted = _at(self._mat_gbar_weight, step) * squares
        if rows is None:
            diagonal = _accumulate(slot, self._mat_gbar_decay, step, weighted)
        else:
            if self._mat_gbar_decay != 1.0:
                raise ValueError("Gradients of rows require that mat_gbar_decay is 1")
            diagonal = gather(scatter_add(slot, rows, weighted), rows)
        powers = gen_ops.pow(diagonal, exponent)
        return where(gen_ops.greater(diagonal, 0), powers, creation_ops.zeros_like(diagonal))


def _at(number: Hyperparameter, step: Any) -> Any:
    return number(step) if callable(number) else number


def _float(number: Any) -> Tensor:
    return math_ops.cast(convert_to_tensor(number), dtypes.float32)


def _accumulate(slot: Variable, decay: Hyperparameter, step: Tensor, change: Tensor) -> Tensor:
    """slot <- decay * slot + change; the result is the new value."""
    if decay == 0.0:
        return change  # the slot is never read
    if decay == 1.0:
        return convert_to_tensor(assign_add(slot, change))
    return convert_to_tensor(slot.assign_add((_at(decay, step) - 1) * slot + change))
