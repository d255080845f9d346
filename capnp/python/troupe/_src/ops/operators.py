"""The functions behind the operators of tensors and variables."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.operand import implements
from troupe._src.ops.apply_op import OP_DEFS, apply_op
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes

# Operator -> (op, name that TensorFlow gives to its nodes).
_BINARY = {
    "add": ("AddV2", "add"),
    "sub": ("Sub", "sub"),
    "mul": ("Mul", "mul"),
    "truediv": ("RealDiv", "truediv"),
    "floordiv": ("FloorDiv", "floordiv"),
    "mod": ("FloorMod", "mod"),
    "pow": ("Pow", "pow"),
    "matmul": ("MatMul", "matmul"),
    "less": ("Less", "Less"),
    "less_equal": ("LessEqual", "LessEqual"),
    "greater": ("Greater", "Greater"),
    "greater_equal": ("GreaterEqual", "GreaterEqual"),
    "and": ("LogicalAnd", "and"),
    "or": ("LogicalOr", "or"),
}


@implements("binary")
def binary(operator: str, x: Any, y: Any, name: Optional[str] = None) -> Any:
    """Adds the node of a binary operator. An operand that is no tensor gets the other's dtype."""
    if hasattr(y, "_with_values") and operator == "mul":
        return y * x  # a sparse tensor stays one
    op, default_name = _BINARY[operator]
    if op not in OP_DEFS:
        raise TypeError(f"tensors have no operator '{operator}': there is no op {op} yet")
    try:
        left, right = operands(x, y)
    except TypeError:
        # A class that knows tensors may have the operator for its right side.
        is_own = not isinstance(y, (bool, int, float, complex, str, bytes, list, tuple, np.generic))
        if is_own and hasattr(type(y), f"__r{operator}__"):
            return NotImplemented
        raise
    if operator == "truediv" and left.dtype.is_integer:
        dtype = dtypes.float64 if left.dtype.size > 2 else dtypes.float32
        left, right = (apply_op("Cast", {"x": side}, {"DstT": dtype}) for side in (left, right))
    if operator == "add" and left.dtype == dtypes.string:
        op = "Add"  # as in TensorFlow, whose AddV2 takes no strings
    first, second = (argument["name"] for argument in OP_DEFS[op]["inputs"])
    return apply_op(op, {first: left, second: right}, {}, name or default_name)


def operands(x: Any, y: Any) -> List[Tensor]:
    """Two tensors; an operand that is none gets the other's dtype."""
    if isinstance(getattr(x, "dtype", None), dtypes.DType):
        left = convert_to_tensor(x)
        has_dtype = isinstance(getattr(y, "dtype", None), dtypes.DType)
        return [left, convert_to_tensor(y, None if has_dtype else left.dtype)]
    right = convert_to_tensor(y)
    return [convert_to_tensor(x, right.dtype), right]


def is_text(value: Any) -> bool:
    """Whether it is a string, a list of strings, or a tensor or an array of them."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    dtype = getattr(value, "dtype", None)
    return isinstance(value, (str, bytes)) or (dtype is not None and dtype == dtypes.string)


@implements("div")
def div(x: Any, y: Any) -> Any:
    """What `/` is in Python 2: of integers rounded down."""
    left, right = operands(x, y)
    return binary("floordiv" if left.dtype.is_integer else "truediv", left, right, "div")


@implements("xor")
def logical_xor(x: Any, y: Any) -> Any:
    """x ^ y."""
    return binary("and", binary("or", x, y), invert(binary("and", x, y)), "LogicalXor")


@implements("negative")
def negative(x: Any) -> Any:
    return apply_op("Neg", {"x": x}, {})


@implements("absolute")
def absolute(x: Any) -> Any:
    tensor = convert_to_tensor(x)
    if tensor.dtype.is_complex:
        is_double = tensor.dtype is dtypes.complex128
        real = dtypes.float64 if is_double else dtypes.float32
        return apply_op("ComplexAbs", {"x": tensor}, {"Tout": real})
    return apply_op("Abs", {"x": tensor}, {})


@implements("invert")
def invert(x: Any) -> Any:
    return apply_op("LogicalNot", {"x": x}, {})


@implements("dense")
def dense(values: Any, indices: Any, dense_shape: Any) -> Any:
    """The tensor that the rows of `IndexedSlices` are of."""
    column = apply_op("ExpandDims", {"input": indices, "dim": 1}, {})
    shape = apply_op("Cast", {"x": dense_shape}, {"DstT": indices.dtype})
    return apply_op("ScatterNd", {"indices": column, "updates": values, "shape": shape}, {})
