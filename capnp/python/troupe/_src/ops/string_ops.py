"""Functions of strings."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops, math_ops, raw_ops
from troupe._src.ops.arguments import either, required
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def string_join(inputs: List[Any], separator: str = "", name: Optional[str] = None) -> Tensor:
    """Joins the strings of several tensors, by elements; scalars join all elements."""
    return raw_ops.StringJoin(inputs=inputs, separator=separator, name=name)


def string_length(input: Any, name: Optional[str] = None, unit: str = "BYTE") -> Tensor:
    """The lengths: in bytes, or with the unit "UTF8_CHAR" in characters."""
    return raw_ops.StringLength(input=input, unit=unit, name=name)


def substr(
    input: Any, pos: Any, len: Any, name: Optional[str] = None, unit: str = "BYTE"
) -> Tensor:
    """At most `len` bytes or characters from `pos` on; a negative position is from the end."""
    return raw_ops.Substr(input=input, pos=pos, len=len, unit=unit, name=name)


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: Optional[bool] = None,
    separator: str = "",
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keepdims: Optional[bool] = None,
) -> Tensor:
    """Joins the strings along those axes, in their order; by default all, the last one first."""
    tensor = convert_to_tensor(inputs, dtypes.string)
    axes = either("axis", axis, "reduction_indices", reduction_indices)
    if axes is None:
        rank = tensor.shape.rank
        if rank is None:
            axes = math_ops.range(gen_ops.rank(tensor) - 1, -1, -1)
        else:
            axes = constant(list(range(rank))[::-1], dtypes.int32, [rank])
    return raw_ops.ReduceJoin(
        inputs=tensor,
        reduction_indices=axes,
        keep_dims=bool(either("keepdims", keepdims, "keep_dims", keep_dims)),
        separator=separator,
        name=name,
    )


def regex_full_match(input: Any, pattern: Any, name: Optional[str] = None) -> Tensor:
    """True where the regular expression matches the whole string."""
    if isinstance(pattern, str):
        return raw_ops.StaticRegexFullMatch(input=input, pattern=pattern, name=name)
    return raw_ops.RegexFullMatch(input=input, pattern=pattern, name=name)


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: Optional[str] = None
) -> Tensor:
    r"""Replaces what matches, in which \\1 to \\9 stand for groups: each time, or only once."""
    if isinstance(pattern, str) and isinstance(rewrite, str):
        return raw_ops.StaticRegexReplace(
            input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return raw_ops.RegexReplace(
        input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
    )


def string_to_hash_bucket(
    string_tensor: Any = None,
    num_buckets: Optional[int] = None,
    name: Optional[str] = None,
    input: Any = None,
) -> Tensor:
    """A number in [0, num_buckets) for each string."""
    strings = either("input", input, "string_tensor", string_tensor)
    return raw_ops.StringToHashBucket(
        string_tensor=required("input", strings),
        num_buckets=required("num_buckets", num_buckets),
        name=name,
    )


def string_to_number(
    string_tensor: Any = None,
    out_type: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
    input: Any = None,
) -> Tensor:
    """The numbers that the strings write."""
    strings = either("input", input, "string_tensor", string_tensor)
    return raw_ops.StringToNumber(
        string_tensor=required("input", strings), out_type=out_type, name=name
    )


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: Optional[str] = None,
) -> SparseTensor:
    """The parts of each string between any of the characters of `sep`, by default spaces."""
    _check_sparse(result_type)
    sep = either("sep", sep, "delimiter", delimiter)
    parts = raw_ops.StringSplit(
        input=source, delimiter=" " if sep is None else sep, skip_empty=skip_empty, name=name
    )
    return _sparse(parts)


def string_split_v2(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: Optional[str] = None,
) -> SparseTensor:
    """The parts of each string of a list between the separators, as `str.split` in Python."""
    _check_sparse(result_type)
    strings = convert_to_tensor(either("input", input, "source", source), dtypes.string)
    if strings.shape.rank not in (None, 1):
        raise NotImplementedError("only the strings of a list are split: there is no RaggedTensor")
    parts = raw_ops.StringSplitV2(
        input=strings, sep="" if sep is None else sep, maxsplit=maxsplit, name=name
    )
    return _sparse(parts)


def _check_sparse(result_type: str) -> None:
    if result_type == "RaggedTensor":
        raise NotImplementedError("there is no RaggedTensor: the result is a SparseTensor")
    if result_type != "SparseTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def _sparse(parts: List[Tensor]) -> SparseTensor:
    indices, values, shape = parts
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    return SparseTensor(indices, values, shape)
