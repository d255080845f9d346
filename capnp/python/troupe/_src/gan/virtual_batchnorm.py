"""Normalization by the statistics of a batch that stays the same."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.nn.norm_ops import batch_normalization
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.initializers import Ones, Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable

_ZEROS, _ONES = Zeros(), Ones()
Regularizer = Optional[Callable[[Any], Any]]


def _size_of(tensor: Tensor, axis: int) -> Any:
    """A size, as a number where it is known."""
    known = tensor.shape.as_list()[axis]
    return array_ops.shape(tensor)[axis] if known is None else known


def _statistics(tensor: Tensor, axes: List[int]) -> Tuple[Tensor, Tensor]:
    """The means of the elements and of their squares, along axes."""
    numbers = tensor
    if tensor.dtype == dtypes.float16:  # too small for sums
        numbers = math_ops.cast(tensor, dtypes.float32)
    # The mean of differences from about the mean is more exact.
    shift = gen_ops.stop_gradient(math_ops.reduce_mean(numbers, axes, keepdims=True))
    mean = math_ops.reduce_mean(numbers - shift, axes, keepdims=True) + shift
    squares = math_ops.reduce_mean(gen_ops.square(numbers), axes, keepdims=True)
    both = [array_ops.squeeze(each, axes) for each in (mean, squares)] if axes else [mean, squares]
    return math_ops.cast(both[0], tensor.dtype), math_ops.cast(both[1], tensor.dtype)


def _checked_axis(tensor: Tensor, axis: int) -> int:
    rank = tensor.shape.ndims
    if rank is None:
        raise ValueError("`reference_batch` has unknown dimensions.")
    used = rank + axis if axis < 0 else axis
    if not 0 <= used < rank:
        raise ValueError(
            f"Value of `axis` argument {used} is out of range for input with rank {rank}"
        )
    return used


@set_module("troupe.contrib.gan.features")
class VBN:
    """Normalizes batches by the statistics of a reference batch (arXiv:1606.03498).

    Each example counts for its own statistics as much as one example of the reference batch does.
    The variables `beta` and `gamma` are shared among all calls.

    Args:
        reference_batch: The reference batch, a tensor of a known rank.
        axis: The axis of the features, each of which has statistics of its own.
        epsilon: Is added to variances.
        center: Whether `beta` is added to the result.
        scale: Whether the result is multiplied by `gamma` before.
        beta_initializer: Makes the first `beta`.
        gamma_initializer: Makes the first `gamma`.
        beta_regularizer: Makes a loss of `beta`.
        gamma_regularizer: Makes a loss of `gamma`.
        trainable: Whether optimizers train the variables by default.
        name: The variable scope, by default `VBN`.
        batch_axis: The axis of the examples.

    Raises:
        ValueError: The rank is not known, or the axes are the same one or out of range.
    """

    def __init__(
        self, reference_batch: Tensor, axis: int = -1, epsilon: float = 1e-3, center: bool = True,
        scale: bool = True, beta_initializer: Any = _ZEROS, gamma_initializer: Any = _ONES,
        beta_regularizer: Regularizer = None, gamma_regularizer: Regularizer = None,
        trainable: bool = True, name: Optional[str] = None, batch_axis: int = 0,
    ) -> None:  # fmt: skip
        axis = _checked_axis(reference_batch, axis)
        self._batch_axis = _checked_axis(reference_batch, batch_axis)
        if axis == self._batch_axis:
            raise ValueError("`axis` and `batch_axis` cannot be the same.")
        self._reference = reference_batch
        self._epsilon = epsilon
        self._beta: Any = None
        self._gamma: Any = None
        axes = range(len(reference_batch.shape))
        self._example_axes = [each for each in axes if each not in (axis, self._batch_axis)]
        with variable_scope(name, "VBN") as self._scope:
            self._shape: List[Any] = [1 for _ in axes]
            self._shape[axis] = _size_of(reference_batch, axis)
            self._mean, self._squares = _statistics(
                reference_batch, [each for each in axes if each != axis]
            )
            count = math_ops.cast(_size_of(reference_batch, self._batch_axis), dtypes.float32)
            dtype = reference_batch.dtype
            self._example_weight = math_ops.cast(1.0 / (count + 1.0), dtype)
            shape = (reference_batch.shape[axis],)
            if center:
                self._beta = get_variable(
                    "beta", shape=shape, dtype=dtype, initializer=beta_initializer,
                    regularizer=beta_regularizer, trainable=trainable,
                )  # fmt: skip
            if scale:
                self._gamma = get_variable(
                    "gamma", shape=shape, dtype=dtype, initializer=gamma_initializer,
                    regularizer=gamma_regularizer, trainable=trainable,
                )  # fmt: skip

    def reference_batch_normalization(self) -> Tensor:
        """The reference batch, normalized by its own statistics."""
        with name_scope(self._scope.name):
            variance = self._squares - gen_ops.square(self._mean)
            return self._normalized(self._reference, self._mean, variance, self._shape)

    def __call__(self, inputs: Tensor) -> Tensor:
        """A batch, each example of which is normalized by itself and the reference batch.

        Args:
            inputs: The batch, of the shape of the reference batch but for the number of examples.

        Returns:
            A tensor of the shape of `inputs`.

        Raises:
            ValueError: The shapes do not fit.
        """
        self._of_example(inputs).assert_is_compatible_with(self._of_example(self._reference))
        with name_scope(self._scope.name):
            own, reference = self._example_weight, 1.0 - self._example_weight
            found_mean, found_squares = _statistics(inputs, self._example_axes)
            shape = list(self._shape)
            shape[self._batch_axis] = _size_of(inputs, self._batch_axis)
            mean = own * array_ops.reshape(found_mean, shape)
            mean += reference * array_ops.reshape(self._mean, self._shape)
            squares = own * array_ops.reshape(found_squares, shape)
            squares += reference * array_ops.reshape(self._squares, self._shape)
            return self._normalized(inputs, mean, squares - gen_ops.square(mean), shape)

    def _of_example(self, tensor: Tensor) -> TensorShape:
        sizes = tensor.shape.as_list()
        del sizes[self._batch_axis]
        return TensorShape(sizes)

    def _normalized(self, tensor: Tensor, mean: Any, variance: Any, shape: Any) -> Tensor:
        beta, gamma = (
            None if each is None else array_ops.reshape(each, self._shape)
            for each in (self._beta, self._gamma)
        )
        return batch_normalization(
            tensor, array_ops.reshape(mean, shape), array_ops.reshape(variance, shape), beta, gamma,
            self._epsilon,
        )  # fmt: skip
