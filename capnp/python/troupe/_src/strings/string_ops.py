"""Functions of strings."""

from __future__ import annotations

from typing import Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops, math_ops, raw_ops
from troupe._src.arguments import either, required
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def string_join(
    inputs: Sequence[TensorLike], separator: str = "", name: Optional[str] = None
) -> Tensor:
    """Joins the strings of several tensors, by elements; scalars join all elements.

    Args:
        inputs: a list of tensors of strings, of one shape or scalars.
        separator: what stands between them.

    Returns:
        A tensor of strings of that shape.
    """
    return raw_ops.StringJoin(inputs=inputs, separator=separator, name=name)


def string_length(input: TensorLike, name: Optional[str] = None, unit: str = "BYTE") -> Tensor:
    """The lengths: in bytes, or with the unit "UTF8_CHAR" in characters.

    Args:
        input: strings of any shape.
        unit: "BYTE" or "UTF8_CHAR".

    Returns:
        An int32 tensor of that shape.
    """
    return raw_ops.StringLength(input=input, unit=unit, name=name)


def substr(
    input: TensorLike,
    pos: TensorLike,
    len: TensorLike,
    name: Optional[str] = None,
    unit: str = "BYTE",
) -> Tensor:
    """At most `len` bytes or characters from `pos` on; a negative position is from the end.

    Args:
        input: strings of any shape.
        pos: integers in a shape that broadcasts with that of the strings.
        len: as `pos`.
        unit: "BYTE" or "UTF8_CHAR".

    Returns:
        A tensor of strings, in the broadcast shape. A step fails for positions outside of a string.
    """
    return raw_ops.Substr(input=input, pos=pos, len=len, unit=unit, name=name)


def reduce_join(
    inputs: TensorLike,
    axis: Optional[TensorLike] = None,
    keep_dims: Optional[bool] = None,
    separator: str = "",
    name: Optional[str] = None,
    reduction_indices: Optional[TensorLike] = None,
    keepdims: Optional[bool] = None,
) -> Tensor:
    """Joins the strings along those axes, in their order; by default all, the last one first.

    Args:
        inputs: strings of any shape.
        axis: an axis or a list of axes; None for all.
        keep_dims: the former name of `keepdims`.
        separator: what stands between them.
        reduction_indices: the former name of `axis`.
        keepdims: whether the axes stay, with the size 1.

    Returns:
        A tensor of strings, of the shape of the inputs without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
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


def regex_full_match(input: TensorLike, pattern: TensorLike, name: Optional[str] = None) -> Tensor:
    """True where the regular expression matches the whole string.

    Args:
        input: strings of any shape.
        pattern: the expression, a text or a scalar tensor.

    Returns:
        A tensor of bools of that shape.
    """
    if isinstance(pattern, str):
        return raw_ops.StaticRegexFullMatch(input=input, pattern=pattern, name=name)
    return raw_ops.RegexFullMatch(input=input, pattern=pattern, name=name)


def regex_replace(
    input: TensorLike,
    pattern: TensorLike,
    rewrite: TensorLike,
    replace_global: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    r"""Replaces what matches, in which \\1 to \\9 stand for groups: each time, or only once.

    Args:
        input: strings of any shape.
        pattern: the expression, a text or a scalar tensor.
        rewrite: what stands for a match, a text or a scalar tensor.
        replace_global: whether each match is replaced, or only the first.

    Returns:
        A tensor of strings of that shape.
    """
    if isinstance(pattern, str) and isinstance(rewrite, str):
        return raw_ops.StaticRegexReplace(
            input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return raw_ops.RegexReplace(
        input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
    )


def string_to_hash_bucket(
    string_tensor: Optional[TensorLike] = None,
    num_buckets: Optional[int] = None,
    name: Optional[str] = None,
    input: Optional[TensorLike] = None,
) -> Tensor:
    """A number in [0, num_buckets) for each string.

    Args:
        string_tensor: strings of any shape.
        num_buckets: the number of different results.
        input: another name of `string_tensor`.

    Returns:
        An int64 tensor of that shape: the same numbers on each machine.

    Raises:
        ValueError: if both names of the strings are given, or an argument is missing.
    """
    strings = either("input", input, "string_tensor", string_tensor)
    return raw_ops.StringToHashBucket(
        string_tensor=required("input", strings),
        num_buckets=required("num_buckets", num_buckets),
        name=name,
    )


def string_to_number(
    string_tensor: Optional[TensorLike] = None,
    out_type: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
    input: Optional[TensorLike] = None,
) -> Tensor:
    """The numbers that the strings write.

    Args:
        string_tensor: strings of any shape.
        out_type: float32, float64, int32 or int64.
        input: another name of `string_tensor`.

    Returns:
        A tensor of that shape. A step fails for strings that are no numbers.

    Raises:
        ValueError: if both names of the strings are given, or none.
    """
    strings = either("input", input, "string_tensor", string_tensor)
    return raw_ops.StringToNumber(
        string_tensor=required("input", strings), out_type=out_type, name=name
    )


def fingerprint(
    data: TensorLike, method: TensorLike = "farmhash64", name: Optional[str] = None
) -> Tensor:
    """The fingerprints of the elements along the first axis.

    Args:
        data: a tensor of rank 1 or higher, of any dtype.
        method: the function, "farmhash64".

    Returns:
        A uint8 tensor [length of the first axis, 8], the lowest byte first.
    """
    return gen_ops.fingerprint(data, method, name=name)
