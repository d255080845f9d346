"""In which dtypes layers compute and have variables."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional

from troupe._src.control_flow.structure import map_leaves
from troupe._src.graph.elements import Tensor
from troupe._src.mixed_precision.auto_cast_variable import variables_read_as
from troupe._src.mixed_precision.policy import (
    Policy,
    policy_of,
    v2_dtype_behavior_enabled,
    with_input_dtype,
)
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.math_ops import cast
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types.dtypes import as_dtype


def take_policy(layer: Any, dtype: Any, autocast: Optional[bool]) -> Optional[str]:
    """Gives a new layer its policy.

    Args:
        layer: The layer.
        dtype: A `Policy`, a dtype, or None.
        autocast: Whether it casts its inputs; None: as `enable_v2_dtype_behavior` says.

    Returns:
        The name of the dtype of its variables, or None for that of the first input.
    """
    policy = policy_of(dtype)
    # A policy of one dtype follows `layer.dtype`, which layers of programs assign, too.
    is_plain = policy.loss_scale is None and not policy.should_cast_variables
    layer._own_policy = None if is_plain else policy
    layer._autocast = v2_dtype_behavior_enabled() if autocast is None else autocast
    return policy.variable_dtype


def dtype_policy(layer: Any) -> Policy:
    """The policy of a layer: its own, or that of its dtype."""
    own = getattr(layer, "_own_policy", None)
    dtype = getattr(layer, "dtype", None)
    return own or Policy("infer" if dtype is None else as_dtype(dtype).base_dtype.name)


def compute_dtype(layer: Any) -> Optional[str]:
    """The name of the dtype in which it computes; None for that of the first input."""
    return dtype_policy(layer).compute_dtype


def infer(layer: Any, kind: Any) -> None:
    """Completes a policy that infers the dtype of computations.

    Args:
        layer: The layer, which is called for the first time.
        kind: The dtype of its first input, or None where that has none.
    """
    own = getattr(layer, "_own_policy", None)
    if own is not None and own.should_cast_variables and own.compute_dtype is None and kind:
        layer._own_policy = with_input_dtype(own, kind)


@contextlib.contextmanager
def computing(layer: Any, inputs: Any) -> Iterator[Any]:
    """Lets a layer compute: reads its variables in its dtype, and casts its inputs.

    Args:
        layer: The layer.
        inputs: A structure of tensors.

    Yields:
        The inputs.
    """
    dtype = compute_dtype(layer)
    if _casts(layer) and dtype is not None and as_dtype(dtype).is_floating:
        inputs = map_leaves(lambda leaf: _cast(leaf, dtype), inputs)
    with variables_read_as(dtype):
        yield inputs


def computed(layer: Any, variable: Any) -> Any:
    """A variable in the dtype in which a layer computes, for tensors that its `build` makes.

    Args:
        layer: The layer.
        variable: Its variable.

    Returns:
        A tensor; the variable where the layer has one dtype.
    """
    if not dtype_policy(layer).should_cast_variables:
        return variable
    with variables_read_as(compute_dtype(layer)):
        return convert_to_tensor(variable)


def _casts(layer: Any) -> bool:
    if getattr(layer, "_is_graph_network", False):
        return False  # its layers cast
    own = getattr(layer, "_own_policy", None)
    # `Dense` casts in its own `call`, whatever it is told.
    is_dense = own is not None and own.should_cast_variables and hasattr(layer, "_casts_always")
    return is_dense or bool(getattr(layer, "_autocast", False))


def _cast(leaf: Any, dtype: str) -> Any:
    if not isinstance(leaf, (Tensor, SparseTensor)):
        return leaf
    kind = leaf.dtype.base_dtype
    return cast(leaf, dtype) if kind.is_floating and kind.name != dtype else leaf
