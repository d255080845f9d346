"""The characters of strings."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.convert import constant
from troupe._src.ragged.layout import expand_dims
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from troupe._src.types import dtypes

_REPLACEMENT = 65533


def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: Optional[str] = None,
) -> Any:
    """The characters of each string, as numbers.

    Args:
        input: strings of a rank that is known, also ragged.
        input_encoding: their encoding, by a name that ICU knows: "UTF-8", "UTF-16-BE".
        errors: what is done with what is no text: "replace", "ignore", or "strict" for an error of
            the step.
        replacement_char: what is instead of it.
        replace_control_characters: whether characters below 32 are no text, too.
        name: the name scope of the nodes.

    Returns:
        int32: a RaggedTensor with an axis more; a tensor of rank 1 for a single string.

    Raises:
        ValueError: if the rank is unknown.
    """
    with name_scope(name, "UnicodeDecode", [input]):
        form = (input_encoding, errors, replacement_char, replace_control_characters)
        return _decoded(input, form, with_offsets=False)[0]


def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: Optional[str] = None,
) -> Tuple[Any, Any]:
    """The characters of each string, as numbers, and at which of its bytes each begins.

    Args:
        input: strings of a rank that is known, also ragged.
        input_encoding: their encoding, by a name that ICU knows: "UTF-8", "UTF-16-BE".
        errors: what is done with what is no text: "replace", "ignore", or "strict" for an error of
            the step.
        replacement_char: what is instead of it.
        replace_control_characters: whether characters below 32 are no text, too.
        name: the name scope of the nodes.

    Returns:
        The characters, int32, and the bytes, int64: RaggedTensors with an axis more; tensors of
        rank 1 for a single string.

    Raises:
        ValueError: if the rank is unknown.
    """
    with name_scope(name, "UnicodeDecodeWithOffsets", [input]):
        form = (input_encoding, errors, replacement_char, replace_control_characters)
        characters, offsets = _decoded(input, form, with_offsets=True)
        return characters, offsets


def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: Optional[str] = None,
) -> Any:
    """The characters of each string, as strings in its encoding.

    Args:
        input: strings of a rank that is known, also ragged.
        input_encoding: their encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what is done with what is no text: "replace", "ignore", or "strict" for an error of
            the step.
        replacement_char: what is instead of it.
        name: the name scope of the nodes.

    Returns:
        Strings: a RaggedTensor with an axis more; a tensor of rank 1 for a single string.

    Raises:
        ValueError: if the rank is unknown.
    """
    with name_scope(name, "UnicodeSplit", [input]):
        form = (input_encoding, errors, replacement_char, False)
        characters = _decoded(input, form, with_offsets=False)[0]
        return _each_encoded(characters, input_encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: Optional[str] = None,
) -> Tuple[Any, Any]:
    """The characters of each string, as strings in its encoding, and where each begins.

    Args:
        input: strings of a rank that is known, also ragged.
        input_encoding: their encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what is done with what is no text: "replace", "ignore", or "strict" for an error of
            the step.
        replacement_char: what is instead of it.
        name: the name scope of the nodes.

    Returns:
        The strings, and the bytes, int64: RaggedTensors with an axis more; tensors of rank 1 for a
        single string.

    Raises:
        ValueError: if the rank is unknown.
    """
    with name_scope(name, "UnicodeSplitWithOffsets", [input]):
        form = (input_encoding, errors, replacement_char, False)
        characters, offsets = _decoded(input, form, with_offsets=True)
        return _each_encoded(characters, input_encoding, errors, replacement_char), offsets


def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: Optional[str] = None,
) -> Any:
    """A string of the characters along the last axis.

    Args:
        input: characters as int32, of rank 1 or more that is known, also ragged.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what is done with numbers that are no character: "replace", "ignore", or "strict"
            for an error of the step.
        replacement_char: what is instead of them.
        name: the name scope of the nodes.

    Returns:
        Strings, with an axis less.

    Raises:
        ValueError: if the rank is unknown or 0.
    """
    with name_scope(name, "UnicodeEncode", [input]):
        characters = convert_to_tensor_or_ragged_tensor(input)
        return _encoded(characters, (output_encoding, errors, replacement_char))


def _encoded(data: Any, form: Tuple[str, str, int]) -> Any:
    rank = data.shape.rank
    if rank is None:
        raise ValueError("Rank of input_tensor must be statically known.")
    if rank == 0:
        raise ValueError("input_tensor's rank must be at least 1.")
    if isinstance(data, RaggedParts):
        if data.flat_values.shape.rank != 1:
            return data.with_flat_values(_encoded(data.flat_values, form))
        if data.ragged_rank > 1:
            return data.with_values(_encoded(data.values, form))
        encoding, errors, replacement = form
        strings: Tensor = raw_ops.UnicodeEncode(
            input_values=data.values, input_splits=data.row_splits, output_encoding=encoding,
            errors=errors, replacement_char=replacement,
        )  # fmt: skip
        return strings
    if rank == 2:
        return _encoded(RaggedTensor.from_tensor(data), form)
    if rank == 1:
        starts = constant([0], dtypes.int64)
        row = RaggedTensor.from_row_starts(data, starts, validate=False)
        return array_ops.reshape(_encoded(row, form), [])
    sizes = array_ops.shape(data)
    flat = array_ops.reshape(data, array_ops.concat([[-1], sizes[-1:]], axis=0))
    strings = array_ops.reshape(_encoded(flat, form), sizes[:-1])
    strings.set_shape(data.shape[:-1])
    return strings


def _each_encoded(characters: Any, encoding: str, errors: str, replacement: int) -> Any:
    """Each character as a string."""
    alone = expand_dims(characters, -1)
    return _encoded(alone, (encoding, errors, replacement))


def _decoded(input: Any, form: Tuple[str, str, int, bool], with_offsets: bool) -> List[Any]:
    """The characters, and where they begin."""
    strings = convert_to_tensor_or_ragged_tensor(input, dtypes.string, name="input")
    rank = strings.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank > 1:
        strings = _in_rows(strings, rank - 1)
    flat = array_ops.reshape(getattr(strings, "flat_values", strings), [-1])
    encoding, errors, replacement, replaces_controls = form
    decode = raw_ops.UnicodeDecodeWithOffsets if with_offsets else raw_ops.UnicodeDecode
    splits, *found = decode(
        input=flat, input_encoding=encoding, errors=errors, replacement_char=replacement,
        replace_control_characters=replaces_controls,
    )  # fmt: skip
    if rank == 0:
        return list(found)
    rows = [RaggedTensor.from_row_splits(each, splits, validate=False) for each in found]
    return [strings.with_flat_values(each) for each in rows] if rank > 1 else rows


def _in_rows(strings: Any, ragged_rank: int) -> Any:
    """With all axes but the first ragged."""
    if not isinstance(strings, RaggedParts):
        return RaggedTensor.from_tensor(strings, ragged_rank=ragged_rank)
    missing = ragged_rank - strings.ragged_rank
    if missing == 0:
        return strings
    inner = RaggedTensor.from_tensor(
        strings.flat_values, ragged_rank=missing, row_splits_dtype=strings.row_splits.dtype
    )
    return strings.with_flat_values(inner)
