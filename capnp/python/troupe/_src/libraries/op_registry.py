"""The definitions of all ops as messages."""

from __future__ import annotations

import functools
from typing import Any, Dict

from troupe._src.messages.graph_messages import OpDef
from troupe._src.ops.apply_op import OP_DEFS


@functools.lru_cache(maxsize=None)  # programs look ops up one by one
def get_registered_ops() -> Dict[str, OpDef]:
    """The ops that there are.

    Returns:
        {name: OpDef}, with inputs, outputs, the types of attributes, and whether it has a state;
        the same dict in each call.
    """
    return {name: _message_of(name, op_def) for name, op_def in OP_DEFS.items()}


def _message_of(name: str, op_def: Dict[str, Any]) -> OpDef:
    message = OpDef(name=name, is_stateful=op_def["is_stateful"])
    for arguments, known in (
        (message.input_arg, op_def["inputs"]), (message.output_arg, op_def["outputs"]),
    ):  # fmt: skip
        for each in known:
            arguments.add(
                name=each["name"], type=each["dtype"] or 0, type_attr=each["dtype_attr"] or "",
                number_attr=each["count_attr"] or "", type_list_attr=each["dtypes_attr"] or "",
                is_ref=bool(each.get("is_ref")),
            )  # fmt: skip
    for attr in op_def["attrs"]:
        message.attr.add(name=attr["name"], type=attr["type"])
    return message
