"""Layer normalization as a function."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.contrib.aliases import collect_named_outputs
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.variables import model_variable
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.norm_ops import batch_normalization, moments
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Ones, Zeros
from troupe._src.variables.variable_store import variable_scope


@add_arg_scope
def layer_norm(
    inputs: TensorLike, center: bool = True, scale: bool = True,
    activation_fn: Optional[Callable[..., Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    begin_norm_axis: int = 1, begin_params_axis: int = -1, scope: Any = None,
) -> Tensor:  # fmt: skip
    """Each row, normalized by its own moments.

    Args:
        inputs: Of floating point numbers, of a known rank.
        center: Adds a variable `beta`.
        scale: Multiplies by a variable `gamma`.
        activation_fn: Called with the result; None for none.
        reuse: Takes the variables that the scope has.
        variables_collections: Where variables are added to, or {kind: collections}.
        outputs_collections: Where the result is added to.
        trainable: Whether optimizers train `beta` and `gamma` by default.
        begin_norm_axis: The moments are those along this axis and all after it.
        begin_params_axis: The shape of `beta` and `gamma` is that of this axis and all after it,
            whose sizes are known.
        scope: The scope of the variables, by default `LayerNorm`.

    Returns:
        A tensor of the shape of `inputs`.

    Raises:
        ValueError: The rank or one of those sizes is not known, or there is no such axis.
    """
    with variable_scope(scope, "LayerNorm", reuse=reuse) as current:
        tensor = convert_to_tensor(inputs)
        rank = tensor.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {tensor.name} has undefined rank.")
        first = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
        if first >= rank or begin_params_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({first}) must be < "
                f"rank(inputs) ({rank})"
            )
        shape = tensor.shape[begin_params_axis:]
        if not shape.is_fully_defined():
            raise ValueError(
                f"Inputs {tensor.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: "
                f"{tensor.shape}"
            )
        parameters: Dict[str, Any] = {}
        for kind, is_used, initial in (("beta", center, Zeros()), ("gamma", scale, Ones())):
            if is_used:
                collections = variables_collections
                if isinstance(collections, dict):
                    collections = collections.get(kind)
                parameters[kind] = model_variable(
                    kind,
                    shape,
                    tensor.dtype,
                    initial,
                    trainable=trainable,
                    collections=collections,
                )
        mean, variance = moments(tensor, list(range(first, rank)), keep_dims=True)
        # The least number of a half is too large for the usual one.
        epsilon = 1e-3 if tensor.dtype == dtypes.float16 else 1e-12
        outputs = batch_normalization(
            tensor, mean, variance, parameters.get("beta"), parameters.get("gamma"), epsilon
        )
        outputs.set_shape(tensor.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        found: Tensor = collect_named_outputs(outputs_collections, current.name, outputs)
        return found
