"""What cells compute with variables of the scope in which they are called."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.variables.initializers import Constant, Zeros
from troupe._src.variables.variable_store import get_variable_scope, variable_scope
from troupe._src.variables.variable_scope import get_variable


def depth_of(tensor: Tensor) -> int:
    """The size of the second axis of a matrix; ValueError where it is not known."""
    if tensor.shape.rank != 2:
        raise ValueError(f"linear is expecting 2D arguments: {tensor.shape}")
    depth = tensor.shape[1].value
    if depth is None:
        raise ValueError(f"Could not infer input size from inputs.get_shape()[-1]: {tensor.shape}")
    return int(depth)


def linear(
    args: Any, output_size: int, bias: bool = True, bias_initializer: Any = None,
    kernel_initializer: Any = None,
) -> Tensor:  # fmt: skip
    """The product of tensors side by side with the variable `kernel`, plus `bias`.

    Args:
        args: A tensor [batch, size], or a list of them.
        output_size: The size of the result.
        bias: Whether there is a bias, which no partitioner splits.
        bias_initializer: That of the bias, by default zeros.
        kernel_initializer: That of the kernel, by default that of the scope.

    Returns:
        A tensor [batch, output_size].

    Raises:
        ValueError: A tensor is no matrix, or its size is not known.
    """
    return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


class Linear:
    """A linear function of tensors whose variables, `kernel` and `bias`, are in the scope."""

    def __init__(
        self, args: Any, output_size: int, build_bias: bool, bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:  # fmt: skip
        """Makes the variables in the current scope, or takes those that are there.

        Args:
            args: A tensor [batch, size], or a list of them.
            output_size: The size of the result.
            build_bias: Whether there is a bias, which no partitioner splits.
            bias_initializer: That of the bias, by default zeros.
            kernel_initializer: That of the kernel, by default that of the scope.

        Raises:
            ValueError: There are no tensors, one is no matrix, or its size is not known.
        """
        given = list(args) if isinstance(args, (list, tuple)) else [args]
        if not given:
            raise ValueError("`args` must be specified")
        dtype, depth = given[0].dtype, sum(depth_of(each) for each in given)
        self._kernel = get_variable(
            "kernel", [depth, output_size], dtype=dtype, initializer=kernel_initializer
        )
        self._bias = None
        if build_bias:
            with variable_scope(get_variable_scope()) as inner:
                inner.set_partitioner(None)
                self._bias = get_variable(
                    "bias", [output_size], dtype=dtype, initializer=bias_initializer or Zeros()
                )

    def __call__(self, args: Any) -> Tensor:
        """The product of the tensors side by side with the kernel, plus the bias.

        Args:
            args: Tensors of the sizes for which it was made.

        Returns:
            A tensor [batch, output_size].
        """
        given = list(args) if isinstance(args, (list, tuple)) else [args]
        side_by_side = given[0] if len(given) == 1 else array_ops.concat(given, 1)
        product = math_ops.matmul(side_by_side, self._kernel)
        return product if self._bias is None else nn_ops.bias_add(product, self._bias)


def layer_normalized(tensor: Tensor, scope: str, gain: float, shift: float) -> Tensor:
    """Rows with a mean of 0 and a variance of 1, times the variable `gamma`, plus `beta`.

    Args:
        tensor: [batch, size], of a known size.
        scope: The scope of both variables.
        gain: The first value of gamma.
        shift: That of beta.

    Returns:
        A tensor of that shape.
    """
    size, dtype = [depth_of(tensor)], tensor.dtype
    with variable_scope(scope):
        gamma = get_variable("gamma", size, dtype=dtype, initializer=Constant(gain))
        beta = get_variable("beta", size, dtype=dtype, initializer=Constant(shift))
        mean = math_ops.reduce_mean(tensor, 1, keepdims=True)
        difference = gen_ops.squared_difference(tensor, gen_ops.stop_gradient(mean))
        variance = math_ops.reduce_mean(difference, 1, keepdims=True)
        # Numbers of 16 bits cannot hold the bound of the others.
        scale = gen_ops.rsqrt(variance + (1e-3 if dtype.size == 2 else 1e-12)) * gamma
        return tensor * scale + (beta - mean * scale)
