"""Adds the node of an op: converts inputs and attributes by the op's definition."""

from __future__ import annotations

import collections
import functools
from typing import Any, Dict, List, Optional

import numpy as np

from troupe import _native
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.convert import convert_to_tensor, to_array, to_native
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.types.shapes import as_shape

OP_DEFS: Dict[str, Dict[str, Any]] = _native.ops()

# Ops of x that are 0 at 0, or that TensorFlow treats so: they take the values of sparse tensors.
_OF_SPARSE = {"BesselI0e", "BesselI1e", "Erf", "Neg", "Sign", "Sqrt", "Square", "Tanh"}


def apply_op(
    op: str, inputs: Dict[str, Any], attrs: Dict[str, Any], name: Optional[str] = None
) -> Any:
    """Adds a node, and returns its output, those by their names or in a list, or the operation.

    `inputs` are keyed by argument. A value that is no tensor becomes a constant, with the dtype of
    the other arguments that share its dtype attribute. Attributes that are None get their defaults;
    a shape without one is then unknown. Some ops of one input take a SparseTensor, and return one.
    """
    if op in _OF_SPARSE and hasattr(inputs["x"], "_with_values"):
        sparse = inputs["x"]
        return sparse._with_values(apply_op(op, {"x": sparse.values}, attrs, name))
    defs = {attr["name"]: attr for attr in OP_DEFS[op]["attrs"]}
    types = {key: attr["type"] for key, attr in defs.items()}
    given = {
        key: value
        for key, value in attrs.items()
        if value is not None or (types.get(key) == "shape" and not defs[key]["has_default"])
    }
    tensors = _convert_inputs(op, inputs, given)
    converted = {key: _to_attr(types.get(key, ""), value) for key, value in given.items()}
    return result_of(get_default_graph()._add(op, tensors, converted, name))


def result_of(operation: Operation) -> Any:
    """The result of the op's Python function."""
    declared = OP_DEFS[operation.type]["outputs"]
    if not declared:
        return operation
    outputs = operation.outputs
    if not outputs:
        return operation
    if any(each["count_attr"] or each["dtypes_attr"] for each in declared):
        return outputs
    return outputs[0] if len(declared) == 1 else _tuple_of(operation.type)(*outputs)


@functools.lru_cache(maxsize=None)
def _tuple_of(op: str) -> Any:
    """The tuple of the outputs of an op, by their names."""
    return collections.namedtuple(op, [each["name"] for each in OP_DEFS[op]["outputs"]])


def _convert_inputs(op: str, inputs: Dict[str, Any], attrs: Dict[str, Any]) -> List[Tensor]:
    op_def = OP_DEFS[op]
    known: Dict[str, DType] = {
        attr["name"]: as_dtype(attrs[attr["name"]])
        for attr in op_def["attrs"]
        if attr["type"] == "type" and attr["name"] in attrs
    }
    _infer_dtypes(op_def["inputs"], inputs, known)
    # Where lists have lengths of their own, the inputs in a row do not tell them.
    lengths = {argument["count_attr"] or argument["dtypes_attr"] for argument in op_def["inputs"]}
    has_several_lists = len(list(filter(None, lengths))) > 1
    tensors: List[Tensor] = []
    for argument in op_def["inputs"]:
        value = inputs[argument["name"]]
        is_list = argument["count_attr"] or argument["dtypes_attr"]
        if is_list and not isinstance(value, (list, tuple)):
            raise TypeError(
                f"Expected a list for input '{argument['name']}' of op '{op}', got {value!r}."
            )
        items = [
            _to_input(op, op_def, argument, item, known) for item in (value if is_list else [value])
        ]
        if has_several_lists and argument["count_attr"]:
            attrs.setdefault(argument["count_attr"], len(items))
        if has_several_lists and argument["dtypes_attr"]:
            attrs.setdefault(argument["dtypes_attr"], [item.dtype for item in items])
        tensors += items
    return tensors


def _infer_dtypes(arguments: Any, inputs: Dict[str, Any], known: Dict[str, DType]) -> None:
    """Adds the dtypes that follow from the tensors among the inputs to `known`."""
    for argument in arguments:
        attr = argument["dtype_attr"]
        if not attr or attr in known:
            continue
        value = inputs[argument["name"]]
        for item in value if isinstance(value, (list, tuple)) else [value]:
            dtype = getattr(item, "dtype", None)
            if isinstance(dtype, DType):
                known[attr] = dtype.base_dtype
                break


def _to_input(op: str, op_def: Any, argument: Any, value: Any, known: Dict[str, DType]) -> Tensor:
    attr = argument["dtype_attr"]
    fixed = dtypes.by_number(argument["dtype"]) if argument["dtype"] else None
    wanted = fixed or known.get(attr)
    if argument["is_ref"] and hasattr(value, "_ref"):
        value = value._ref()
    if isinstance(value, Tensor):
        tensor = value
    else:
        if value is None:
            raise ValueError(f"op '{op}' needs a value for its input '{argument['name']}'")
        tensor = _convert(op, op_def, argument, value, wanted)
    if attr and attr not in known:
        known[attr] = tensor.dtype
    return tensor


def _convert(op: str, op_def: Any, argument: Any, value: Any, wanted: Optional[DType]) -> Tensor:
    attr = argument["dtype_attr"]
    preferred = None if wanted or not attr else _default_dtype(op_def, attr)
    if hasattr(value, "_as_tensor"):
        wanted = None  # the graph refuses another dtype, with an error that names the argument
    if preferred is not None and isinstance(value, np.ndarray):
        value = _of_allowed_dtype(op_def, attr, value, preferred)
    try:
        return convert_to_tensor(value, wanted, preferred_dtype=preferred)
    except TypeError as error:
        raise TypeError(f"Input '{argument['name']}' of op '{op}': {error}") from None


def _of_allowed_dtype(op_def: Any, name: str, value: Any, preferred: DType) -> Any:
    """The array; in the default dtype where the op does not take its own: sizes given as floats."""
    allowed = next(attr["allowed"] for attr in op_def["attrs"] if attr["name"] == name)
    if not allowed or value.dtype.kind not in "biuf":
        return value
    fits = as_dtype(value.dtype).as_datatype_enum in allowed
    return value if fits else value.astype(preferred.as_numpy_dtype)


def _default_dtype(op_def: Any, name: str) -> Optional[DType]:
    int32, int64 = (dtype.as_datatype_enum for dtype in (dtypes.int32, dtypes.int64))
    for attr in op_def["attrs"]:
        if attr["name"] == name and attr["has_default"]:
            return dtypes.by_number(attr["default"])
        if attr["name"] == name and set(attr["allowed"]) == {int32, int64}:
            return dtypes.int32  # sizes, axes and positions
    return None


def _to_attr(kind: str, value: Any) -> Any:
    """Converts the value of an attribute for the extension."""
    if kind == "int":  # programs compute sizes as floats
        return int(value) if isinstance(value, (float, np.floating)) else value
    if kind == "list(int)" and isinstance(value, (list, tuple)):
        return [_to_attr("int", item) for item in value]
    if kind == "type":
        return as_dtype(value).as_datatype_enum
    if kind == "shape":
        shape = as_shape(value)
        return None if shape.rank is None else shape.as_list()
    if kind == "list(type)":
        return [as_dtype(item).as_datatype_enum for item in value]
    if kind == "list(shape)":
        return [_to_attr("shape", item) for item in value]
    if kind == "func":
        return _function_name(value)
    if kind == "list(func)":
        return [_function_name(item) for item in value]
    if kind == "tensor" and not isinstance(value, _native.Tensor):
        array = to_array(value, None)
        return to_native(array, dtypes.of_array(array))
    return value


def _function_name(value: Any) -> Any:
    """The name of a function that the default graph has then; of another value, itself."""
    if not hasattr(value, "add_to_graph"):
        return value
    value.add_to_graph(get_default_graph())
    return value.name
