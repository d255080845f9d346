"""Examples of sequences, whose sizes are checked in each step."""

from __future__ import annotations

import itertools
from typing import Any, Dict, List, NamedTuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.strings.string_ops import string_join
from troupe._src.types import dtypes


def checked(tensor: Tensor, condition: Tensor, data: List[Any], name: str) -> Tensor:
    """The tensor, where the condition holds; else the error says the texts and numbers."""
    said: List[Any] = []
    for is_text, parts in itertools.groupby(data, _is_text):
        listed = list(parts)
        if is_text:
            texts = [each if isinstance(each, str) else gen_ops.as_string(each) for each in listed]
            listed = [string_join(texts)]
        said.extend(listed)
    with get_default_graph().control_dependencies([assert_ops.Assert(condition, said)]):
        return array_ops.identity(tensor, name=name)


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or part.shape.rank == 0


def _named_tensors(kind: str, given: Any) -> Dict[str, Tensor]:
    """The tensors in the order of their names."""
    if not isinstance(given, dict):
        raise TypeError(f"{kind} must be a dict, not {given!r}")
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"{kind} key must be string: {name!r}")
        if ":" in name:
            raise ValueError(f"{kind} key may not have a colon: '{name}'")
    made = {name: convert_to_tensor(given[name], name=f"{kind}_{name}") for name in sorted(given)}
    for name, tensor in made.items():
        shape = tensor.shape[1:] if kind == "sequence" else tensor.shape
        if not shape.is_fully_defined():
            says = " (ignoring first dimension)" if kind == "sequence" else ""
            raise ValueError(
                f"Shape for {kind} {name} is not fully defined{says}: {tensor.shape}"
            )
    return made


class SequenceExample(NamedTuple):
    """One example, as it is put into the barrier."""

    key: Tensor
    length: Tensor
    padded_length: Tensor
    sequences: Dict[str, Tensor]
    context: Dict[str, Tensor]
    states: Dict[str, Tensor]


def prepare_example(
    unroll: int, length: Any, key: Any, sequences: Any, context: Any, states: Any
) -> SequenceExample:
    """Converts the parts of an example, and adds checks of their sizes."""
    states = _named_tensors("state", states)
    if not states:
        raise ValueError("initial_states may not be empty: they decide when a segment is complete")
    sequences = _named_tensors("sequence", sequences)
    if not sequences:
        raise ValueError("must have at least one sequence tensor")
    length, key = convert_to_tensor(length, name="length"), convert_to_tensor(key, name="key")
    for value, dtype, name in ((length, dtypes.int32, "length"), (key, dtypes.string, "key")):
        if value.dtype != dtype:
            raise TypeError(f"{name} dtype must be {dtype.name}, but received: {value.dtype.name}")
        value.set_shape([])
    first, *_ = sequences.values()
    padded = array_ops.shape(first)[0]
    is_multiple = gen_ops.logical_and(
        gen_ops.equal(gen_ops.floormod(padded, unroll), 0), gen_ops.not_equal(padded, 0)
    )
    says = f"Tensor {first.name} should be a multiple of: {unroll}, but saw value: "
    data = [says, padded, ". Consider setting pad=True."]
    padded = checked(padded, is_multiple, data, "padded_length")
    for name, tensor in sequences.items():
        rows = array_ops.shape(tensor)[0]
        says = f"Dimension 0 of tensor labeled sorted_sequences_{name} should be: "
        data = [says, padded, ", shape received: ", rows]
        is_same = gen_ops.equal(rows, padded)
        sequences[name] = checked(tensor, is_same, data, f"checked_{name}")
    data = ["Input length should be <= than length from sequences:", length, " vs. ", padded]
    length = checked(length, gen_ops.less_equal(length, padded), data, "checked_length")
    context = _named_tensors("context", context)
    return SequenceExample(key, length, padded, sequences, context, states)
