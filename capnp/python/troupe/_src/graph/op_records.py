"""What nodes say of their ops."""

from __future__ import annotations

from typing import Dict

from troupe import _native
from troupe._src.messages.message import Record

_records: Dict[str, Record] = {}


def op_record(op: str) -> Record:
    """The record of an op: its name, its arguments, and whether it has state."""
    if op not in _records:  # also one of a library that has been loaded since
        _records.update(
            {
                name: Record(
                    name=name,
                    is_stateful=defined["is_stateful"],
                    input_arg=[Record(name=each["name"]) for each in defined["inputs"]],
                    output_arg=[Record(name=each["name"]) for each in defined["outputs"]],
                )
                for name, defined in _native.ops().items()
            }
        )
    return _records.setdefault(op, Record(name=op, is_stateful=False))
