"""Constants, numbers of dtypes and classes that programs import from TensorFlow's source."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from troupe._src.api.source_names import resource_variable
from troupe._src.graph.elements import Tensor
from troupe._src.ops import convert
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, as_shape
from troupe._src.variables.ref_variable import RefVariable
from troupe._src.variables.variable import Variable

# The names that the messages of graphs have for dtypes.
DATA_TYPES = {
    "DT_INVALID": 0,
    **{
        f"DT_{proto_name}": as_dtype(name).as_datatype_enum
        for proto_name, name in (
            ("FLOAT", "float32"), ("DOUBLE", "float64"), ("HALF", "float16"),
            ("BFLOAT16", "bfloat16"), ("INT8", "int8"), ("INT16", "int16"), ("INT32", "int32"),
            ("INT64", "int64"), ("UINT8", "uint8"), ("UINT16", "uint16"), ("UINT32", "uint32"),
            ("UINT64", "uint64"), ("BOOL", "bool"), ("STRING", "string"),
            ("COMPLEX64", "complex64"), ("COMPLEX128", "complex128"), ("RESOURCE", "resource"),
            ("VARIANT", "variant"),
        )
    },
}  # fmt: skip


def __getattr__(name: str) -> int:
    """A number of a dtype, by its name."""
    if name in DATA_TYPES:
        return DATA_TYPES[name]
    raise AttributeError(name)


def constant(
    value: Any, dtype: Optional[DTypeLike] = None, shape: ShapeLike = None, name: str = "Const"
) -> Tensor:
    """A constant tensor; a value of one element is repeated to the shape.

    As the module of the source has it, while the public `constant` repeats the last element of any
    value.

    Args:
        value: A number, a text, an array, or nested lists of them.
        dtype: The dtype, by default that of the value.
        shape: The shape, by default that of the value.
        name: The name of the node.

    Returns:
        A tensor.

    Raises:
        TypeError: The value has several elements, and not as many as the shape.
    """
    if shape is not None:
        sizes: List[Any] = as_shape(shape).as_list()
        wanted = None if dtype is None else as_dtype(dtype)
        array = convert.to_array(value, wanted)
        if wanted is None:
            dtype = dtypes.of_array(array)
        if array.shape in ((), (1,)):
            value = np.full(sizes, array.reshape(-1)[0], array.dtype)
        elif array.size != int(np.prod(sizes, dtype=np.int64)):
            raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, got {array.shape}.")
    return convert.constant(value, dtype, shape, name)


class _TypeOfResourceVariables(type):
    """Makes objects of `Variable`, and takes those for its own that have a resource."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return resource_variable(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Variable) and not isinstance(instance, RefVariable)


class ResourceVariable(metaclass=_TypeOfResourceVariables):
    """A variable of a resource: takes what `tf.Variable` does."""
