"""Functions that decode records of bytes and text."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DTypeLike


def decode_raw(
    input_bytes: Optional[TensorLike] = None,
    out_type: Optional[DTypeLike] = None,
    little_endian: bool = True,
    name: Optional[str] = None,
    bytes: Optional[TensorLike] = None,
) -> Tensor:
    """The bytes of each string as numbers, along a new last axis.

    Args:
        input_bytes: strings of one length, of any shape.
        out_type: the dtype of the numbers.
        little_endian: the order of the bytes in them.
        bytes: the former name of `input_bytes`.

    Returns:
        A tensor of the shape of the strings, with the numbers along one more axis.

    Raises:
        ValueError: if an argument is missing, or both names of the strings are given.
    """
    given = either("input_bytes", input_bytes, "bytes", bytes)
    return raw_ops.DecodeRaw(
        bytes=required("input_bytes", given),
        out_type=required("out_type", out_type),
        little_endian=little_endian,
        name=name,
    )


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: Optional[str] = None,
    na_value: str = "",
    select_cols: Optional[List[int]] = None,
) -> List[Tensor]:
    """A tensor for each column of records of comma-separated values.

    Args:
        records: strings of any shape, each a record.
        record_defaults: for each column a tensor [1] of its dtype, with the value of empty fields;
            or [0], for a column that must have a value in each record.
        field_delim: the character between fields.
        use_quote_delim: whether fields may be in double quotes.
        na_value: a text that stands for an empty field.
        select_cols: the indices of the columns that are read, in ascending order; None for all.

    Returns:
        A list of tensors of the shape of the records.

    Raises:
        ValueError: if the columns are not in order, or are not as many as the defaults.
    """
    if select_cols is not None:
        if any(after <= before for before, after in zip(select_cols, select_cols[1:])):
            raise ValueError("select_cols is not strictly increasing.")
        if select_cols and select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    defaults = [convert_to_tensor(default) for default in record_defaults]
    return raw_ops.DecodeCSV(
        records=records,
        record_defaults=defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=select_cols,
        name=name,
    )
