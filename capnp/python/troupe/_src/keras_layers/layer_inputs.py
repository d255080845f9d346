"""What layers are called with, and the dtype that they have from it."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, List

import numpy as np

from troupe._src.control_flow.structure import flatten, map_leaves
from troupe._src.keras_layers.layer_dtypes import infer, take_policy
from troupe._src.ops.math_ops import cast
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types.dtypes import as_dtype


def with_arguments(own: Callable[..., Any]) -> Callable[..., Any]:
    """The constructor of layers, with the arguments that Keras's does not have.

    Args:
        own: Keras's.

    Returns:
        The constructor.
    """

    @functools.wraps(own)
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("experimental_autocast", None)
        autocast = kwargs.pop("autocast", None)
        regularizer = kwargs.pop("activity_regularizer", None)
        is_dynamic = kwargs.pop("dynamic", False)
        dtype = take_policy(self, kwargs.pop("dtype", None), autocast)
        if dtype is not None:
            kwargs["dtype"] = dtype
        own(self, *args, **kwargs)
        if regularizer is not None:
            self.activity_regularizer = regularizer
        if is_dynamic:
            self.dynamic = True

    signature = inspect.signature(own)
    make.__signature__ = signature  # type: ignore[attr-defined]
    return make


def with_values(own: Callable[..., Any]) -> Callable[..., Any]:
    """The call of layers, also of arrays and numbers, which may decide on the dtype of weights.

    Args:
        own: The call of tensors.

    Returns:
        The method.
    """

    @functools.wraps(own)
    def call(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if any(_is_value(each) for each in flatten(inputs)):
            inputs = map_leaves(lambda x: convert_to_tensor(x) if _is_value(x) else x, inputs)
        if isinstance(inputs, SparseTensor) and not self.built:
            self._takes_sparse = True  # as the input does that a Sequential is built of
        if not self.built:
            infer(self, _dtype_of(inputs))
        if self.dtype is not None:
            return own(self, inputs, *args, **kwargs)
        kind = _dtype_of(inputs)
        if kind is not None and kind.is_floating and not self.built:
            self.dtype = kind.name
        result = own(self, inputs, *args, **kwargs)
        if kind is not None and self.dtype is None and not self.weights:
            self.dtype = kind.name
        return result

    return call


def conform(known: List[Any], inputs: List[Any]) -> List[Any]:
    """The inputs of a model in the dtypes of those that it was made with.

    Args:
        known: Those.
        inputs: The inputs.

    Returns:
        The inputs.
    """
    return [_as_in(own, each) for own, each in zip(known, inputs)]


def _as_in(known: Any, value: Any) -> Any:
    kinds = [getattr(each, "dtype", None) for each in (known, value)]
    if None in kinds or kinds[0] == kinds[1] or not (_is_number(kinds[0]) and _is_number(kinds[1])):
        return value
    return cast(value, known.dtype)


def _is_number(kind: Any) -> bool:
    return bool(kind.is_floating or kind.is_integer or kind.is_bool)


def _is_value(value: Any) -> bool:
    return isinstance(value, (np.ndarray, float, int))


def _dtype_of(inputs: Any) -> Any:
    first = flatten(inputs)[:1]
    kind = getattr(first[0], "dtype", None) if first else None
    return None if kind is None else as_dtype(kind).base_dtype
