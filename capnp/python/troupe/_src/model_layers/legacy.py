"""Fully connected layers of before, whose variables are plain ones."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Sequence

from troupe._src.contrib.regularizers import xavier_initializer
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable

_xavier = xavier_initializer()
_zeros = Zeros()


def legacy_fully_connected(
    x: TensorLike, num_output_units: int, activation_fn: Optional[Callable[..., Any]] = None,
    weight_init: Any = _xavier, bias_init: Any = _zeros, name: Any = None,
    weight_collections: Sequence[str] = (GraphKeys.WEIGHTS,),
    bias_collections: Sequence[str] = (GraphKeys.BIASES,),
    output_collections: Sequence[str] = (GraphKeys.ACTIVATIONS,), trainable: bool = True,
    weight_regularizer: Optional[Callable[[Any], Any]] = None,
    bias_regularizer: Optional[Callable[[Any], Any]] = None,
) -> Tensor:  # fmt: skip
    """activation_fn(x * weights + bias), along the last axis.

    Args:
        x: Of floating point numbers, of rank 2 or more, with a known last size.
        num_output_units: The last size of the result.
        activation_fn: Called with the result; None for a linear layer.
        weight_init: Makes the first weights; by default Xavier's, uniform.
        bias_init: Makes the first biases, by default zeros; None for no biases.
        weight_collections: Where the weights are added to, besides GLOBAL_VARIABLES.
        bias_collections: Where the biases are added to, likewise.
        output_collections: Where the result is added to.
        trainable: Whether optimizers train the variables by default.
        weight_regularizer: Makes a loss of the weights, which is added to REGULARIZATION_LOSSES.
        bias_regularizer: Makes a loss of the biases, likewise.

    Returns:
        A tensor of the shape of `x`, but for the last size.

    Raises:
        ValueError: The rank is below 2, or it or the last size is not known.
    """
    with variable_scope(name, "fully_connected"):
        tensor = convert_to_tensor(x)
        rank = tensor.shape.rank
        if rank is None:
            raise ValueError("dims of x must be known but is None")
        if rank < 2:
            raise ValueError(f"rank of x must be at least 2 not: {rank}")
        sizes = tensor.shape.as_list()
        if sizes[-1] is None:
            raise ValueError("last dimension of x must be known but is None")

        def variable(kind: str, shape: Any, initial: Any, keys: Any, regularizer: Any) -> Any:
            return get_variable(
                kind,
                shape=shape,
                dtype=tensor.dtype,
                initializer=initial,
                collections=[GraphKeys.GLOBAL_VARIABLES, *(keys or [])],
                regularizer=regularizer,
                trainable=trainable,
            )

        shape = [sizes[-1], num_output_units]
        weights = variable("weights", shape, weight_init, weight_collections, weight_regularizer)
        rows = tensor if rank == 2 else array_ops.reshape(tensor, [-1, sizes[-1]])
        outputs = math_ops.matmul(rows, weights)
        if bias_init is not None:
            width = [num_output_units]
            bias = variable("bias", width, bias_init, bias_collections, bias_regularizer)
            outputs = nn_ops.bias_add(outputs, bias)
        if rank > 2:
            outer = array_ops.shape(tensor)[:-1]
            outputs = array_ops.reshape(outputs, array_ops.concat([outer, [num_output_units]], 0))
            outputs.set_shape([*sizes[:-1], num_output_units])
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        get_default_graph().add_to_collections(list(output_collections or []), outputs)
        return outputs


legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
legacy_relu = functools.partial(legacy_fully_connected, activation_fn=gen_ops.relu)
