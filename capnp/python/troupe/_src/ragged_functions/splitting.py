"""Strings in pieces: between separators, by bytes, and runs of neighbours."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

from troupe._src.arguments import either
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from troupe._src.types import dtypes


def string_split(
    source: TensorLike,
    sep: Optional[TensorLike] = None,
    skip_empty: bool = True,
    delimiter: Optional[TensorLike] = None,
    result_type: str = "SparseTensor",
    name: Optional[str] = None,
) -> Any:
    """The parts of each string between any of the characters of `sep`, by default spaces.

    Args:
        source: strings, [N].
        sep: a scalar of characters, each of which separates; "" for parts of one character.
        skip_empty: whether empty parts are left out.
        delimiter: the former name of `sep`.
        result_type: "SparseTensor" or "RaggedTensor".
        name: the name of the node.

    Returns:
        A SparseTensor of strings, [N, the greatest number of parts], or a RaggedTensor.

    Raises:
        ValueError: if the result is another, or both names of the separators are given.
    """
    sep = either("sep", sep, "delimiter", delimiter)
    parts = raw_ops.StringSplit(
        input=source, delimiter=" " if sep is None else sep, skip_empty=skip_empty, name=name
    )
    return _result(parts, result_type)


def strings_split_v1(
    input: Any = None,
    sep: Optional[TensorLike] = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: Optional[str] = None,
) -> Any:
    """The parts of each string between the separators, as `str.split` in Python.

    Args:
        input: strings of a rank that is known, also ragged.
        sep: a scalar, which separates as a whole; None or "" for white space.
        maxsplit: the greatest number of separations of a string; -1 for no limit.
        result_type: "SparseTensor" or "RaggedTensor".
        source: another name of `input`.
        name: the name scope of the nodes.

    Returns:
        A SparseTensor or a RaggedTensor of strings, with an axis more; a tensor for the parts of a
        single string as a "RaggedTensor".

    Raises:
        ValueError: if the result is another, or both names of the strings are given.
    """
    given = either("input", input, "source", source)
    _check_result(result_type)
    with name_scope(name, "StringSplit", [given]):
        strings = convert_to_tensor_or_ragged_tensor(given, dtypes.string, name="input")
        if result_type == "SparseTensor" and not isinstance(strings, RaggedParts):
            if strings.shape.rank in (None, 1):
                return _result(_parts(strings, sep, maxsplit), result_type)
        found = _split(strings, sep, maxsplit)
        if result_type == "RaggedTensor":
            return found
        if not isinstance(found, RaggedTensor):
            raise ValueError("the parts of a single string are no SparseTensor")
        return found.to_sparse()


def string_split_v2(
    input: Any, sep: Optional[TensorLike] = None, maxsplit: int = -1, name: Optional[str] = None
) -> Any:
    """`tf.strings.split` of TensorFlow 2: as `strings_split_v1`, always in rows.

    Args:
        input: strings of a rank that is known, also ragged.
        sep: a scalar, which separates as a whole; None or "" for white space.
        maxsplit: the greatest number of separations of a string; -1 for no limit.
        name: the name scope of the nodes.

    Returns:
        A RaggedTensor of strings, with an axis more; a tensor for the parts of a single string.
    """
    return strings_split_v1(input, sep, maxsplit, "RaggedTensor", name=name)


def _parts(strings: Tensor, sep: Optional[TensorLike], maxsplit: int) -> List[Tensor]:
    found: List[Tensor] = raw_ops.StringSplitV2(
        input=strings, sep="" if sep is None else sep, maxsplit=maxsplit
    )
    return found


def _split(strings: Any, sep: Optional[TensorLike], maxsplit: int) -> Any:
    """A ragged tensor, or the parts of a single string."""
    if isinstance(strings, RaggedParts):
        return strings.with_flat_values(_split(strings.flat_values, sep, maxsplit))
    rank = strings.shape.rank
    if rank == 0:
        return _split(array_ops.reshape(strings, [1]), sep, maxsplit).values
    if rank is not None and rank > 1:
        return _split(RaggedTensor.from_tensor(strings), sep, maxsplit)
    return _result(_parts(strings, sep, maxsplit), "RaggedTensor")


def _result(parts: List[Tensor], result_type: str) -> Any:
    """The parts of a list of strings, of which the ops tell indices, values and the shape."""
    _check_result(result_type)
    indices, values, shape = parts
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    if result_type == "SparseTensor":
        return SparseTensor(indices, values, shape)
    return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)


def _check_result(result_type: str) -> None:
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def string_bytes_split(input: Any, name: Optional[str] = None) -> Any:
    """The bytes of each string, as strings.

    Args:
        input: strings of a rank that is known, also ragged.
        name: the name scope of the nodes.

    Returns:
        A RaggedTensor with an axis more; a tensor of rank 1 for a single string.

    Raises:
        ValueError: if the rank is unknown.
    """
    with name_scope(name, "StringsByteSplit", [input]):
        strings = convert_to_tensor_or_ragged_tensor(input, dtypes.string, name="input")
        return _bytes(strings)


def _bytes(strings: Any) -> Any:
    if isinstance(strings, RaggedParts):
        return strings.with_flat_values(_bytes(strings.flat_values))
    rank = strings.shape.rank
    if rank is None:
        raise ValueError("input must have a statically-known rank.")
    if rank == 0:
        return _bytes(array_ops.reshape(strings, [1])).values
    if rank > 1:
        return _bytes(RaggedTensor.from_tensor(strings))
    parts = raw_ops.StringSplit(input=strings, delimiter="", skip_empty=False)
    return _result(parts, "RaggedTensor")


Pads = Union[str, bytes, Sequence[Union[str, bytes]], None]


def ngrams(
    data: Any,
    ngram_width: Union[int, Sequence[int]],
    separator: str = " ",
    pad_values: Pads = None,
    padding_width: Optional[int] = None,
    preserve_short_sequences: bool = False,
    name: Optional[str] = None,
) -> Any:
    """All runs of neighbours along the last axis, joined.

    Args:
        data: strings of rank 1 or more that is known, also ragged.
        ngram_width: how many neighbours a run has; or a list of numbers, for runs of each.
        separator: what stands between them.
        pad_values: what is added to both ends of rows: a text, or one for each end; None for
            nothing.
        padding_width: how often, at most one time less than the width, which is the default.
        preserve_short_sequences: whether a row that is too short for any run is one itself.
        name: the name scope of the nodes.

    Returns:
        A RaggedTensor of the rank of the data; for a tensor a tensor.

    Raises:
        TypeError: if a pad is no text.
        ValueError: if the rank is unknown or 0, a width is less than 1, or a padding width comes
            without pads.
    """
    left, right = _pads(pad_values)
    if padding_width is not None and padding_width < 1:
        raise ValueError("padding_width must be greater than 0.")
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    given: Any = ngram_width
    widths = list(given) if isinstance(given, (list, tuple)) else [given]
    if any(width < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    pad_width = 0 if pad_values is None else -1 if padding_width is None else padding_width

    def runs(ragged: Any) -> Any:
        if ragged.ragged_rank > 1:
            return ragged.with_values(runs(ragged.values))
        found, splits = raw_ops.StringNGrams(
            data=ragged.flat_values, data_splits=ragged.row_splits, separator=separator,
            ngram_widths=widths, left_pad=left, right_pad=right, pad_width=pad_width,
            preserve_short_sequences=preserve_short_sequences,
        )  # fmt: skip
        return RaggedTensor.from_row_splits(found, splits, validate=False)

    with name_scope(name, "StringNGrams", [data]):
        strings = convert_to_tensor_or_ragged_tensor(data, dtypes.string, name="data")
        if isinstance(strings, RaggedParts):
            return runs(strings)
        rank = strings.shape.rank
        if rank is None:
            raise ValueError("Rank of data must be known.")
        if rank == 0:
            raise ValueError("Data must have rank>0")
        if rank == 1:
            starts = constant([0], dtypes.int64)
            return runs(RaggedTensor.from_row_starts(strings, starts, validate=False)).values
        found = runs(RaggedTensor.from_tensor(strings, ragged_rank=rank - 1))
        sizes = array_ops.concat([array_ops.shape(strings)[:-1], [-1]], axis=0)
        return array_ops.reshape(found.flat_values, sizes)


def _pads(given: Pads) -> Tuple[Any, Any]:
    if given is None:
        return "", ""
    pads = (given[0], given[1]) if isinstance(given, (list, tuple)) else (given, given)
    if not all(isinstance(pad, (str, bytes)) for pad in pads):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return pads
