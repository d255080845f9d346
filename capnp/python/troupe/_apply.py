"""How the functions of the ops add their nodes."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe import _dtypes, _native
from troupe._convert import convert_to_tensor, to_array, to_native
from troupe._dtypes import DType, as_dtype
from troupe._elements import Operation, Tensor
from troupe._graph import get_default_graph
from troupe._shapes import as_shape

OPS: Dict[str, Dict[str, Any]] = _native.ops()


def apply_op(
    op: str, inputs: Dict[str, Any], attrs: Dict[str, Any], name: Optional[str] = None
) -> Any:
    """Adds a node. The answer is its output, a list of them where it has several, or the node.

    `inputs` are by argument; what is no tensor becomes a constant, of the dtype of the arguments
    beside it where the op wants the same. Attributes that are None are left to their defaults.
    """
    given = {key: value for key, value in attrs.items() if value is not None}
    tensors = _converted(op, inputs, given)
    rules = {rule["name"]: rule["type"] for rule in OPS[op]["attrs"]}
    numbers = {key: _attr(rules.get(key, ""), value) for key, value in given.items()}
    return answer_of(get_default_graph()._add(op, tensors, numbers, name))


def answer_of(operation: Operation) -> Any:
    """What a function of an op returns."""
    declared = OPS[operation.type]["outputs"]
    if not declared:
        return operation
    outputs = operation.outputs
    is_list = declared[0]["count_attr"] or declared[0]["dtypes_attr"]
    return outputs[0] if len(declared) == 1 and not is_list else outputs


def _converted(op: str, inputs: Dict[str, Any], attrs: Dict[str, Any]) -> List[Tensor]:
    facts = OPS[op]
    known: Dict[str, DType] = {
        rule["name"]: as_dtype(attrs[rule["name"]])
        for rule in facts["attrs"]
        if rule["type"] == "type" and rule["name"] in attrs
    }
    _look_ahead(facts["inputs"], inputs, known)
    tensors: List[Tensor] = []
    for argument in facts["inputs"]:
        value = inputs[argument["name"]]
        is_list = argument["count_attr"] or argument["dtypes_attr"]
        if is_list and not isinstance(value, (list, tuple)):
            raise TypeError(
                f"Expected a list for input '{argument['name']}' of op '{op}', got {value!r}."
            )
        for item in value if is_list else [value]:
            tensors.append(_one(op, facts, argument, item, known))
    return tensors


def _look_ahead(arguments: Any, inputs: Dict[str, Any], known: Dict[str, DType]) -> None:
    """The dtypes that the tensors among the inputs bring."""
    for argument in arguments:
        attr = argument["dtype_attr"]
        if not attr or attr in known:
            continue
        value = inputs[argument["name"]]
        for item in value if isinstance(value, (list, tuple)) else [value]:
            dtype = getattr(item, "dtype", None)
            if isinstance(dtype, DType):
                known[attr] = dtype
                break


def _one(op: str, facts: Any, argument: Any, value: Any, known: Dict[str, DType]) -> Tensor:
    attr = argument["dtype_attr"]
    fixed = _dtypes.by_number(argument["dtype"]) if argument["dtype"] else None
    wanted = fixed or known.get(attr)
    if isinstance(value, Tensor):
        tensor = value
    else:
        if value is None:
            raise ValueError(f"op '{op}' needs a value for its input '{argument['name']}'")
        tensor = _convert(op, facts, argument, value, wanted)
    if attr and attr not in known:
        known[attr] = tensor.dtype
    return tensor


def _convert(op: str, facts: Any, argument: Any, value: Any, wanted: Optional[DType]) -> Tensor:
    attr = argument["dtype_attr"]
    preferred = None if wanted or not attr else _default_dtype(facts, attr)
    if hasattr(value, "_as_tensor"):
        wanted = None  # another dtype is for the graph to refuse, by the argument's name
    try:
        return convert_to_tensor(value, wanted, preferred_dtype=preferred)
    except TypeError as error:
        raise TypeError(f"Input '{argument['name']}' of op '{op}': {error}") from None


def _default_dtype(facts: Any, attr: str) -> Optional[DType]:
    for rule in facts["attrs"]:
        if rule["name"] == attr and rule["has_default"]:
            return _dtypes.by_number(rule["default"])
        if rule["name"] == attr and set(rule["allowed"]) == {3, 9}:
            return _dtypes.int32  # sizes, axes and positions
    return None


def _attr(kind: str, value: Any) -> Any:
    """An attribute as the extension takes it."""
    if kind == "type":
        return as_dtype(value).as_datatype_enum
    if kind == "shape":
        shape = as_shape(value)
        return None if shape.rank is None else shape.as_list()
    if kind == "list(type)":
        return [as_dtype(item).as_datatype_enum for item in value]
    if kind == "list(shape)":
        return [_attr("shape", item) for item in value]
    if kind == "tensor" and not isinstance(value, _native.Tensor):
        array = to_array(value, None)
        return to_native(array, _dtypes.of_array(array))
    return value
