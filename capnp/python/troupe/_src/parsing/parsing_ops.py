"""Functions that decode records of bytes and text."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DTypeLike


def decode_raw(
    input_bytes: Any = None,
    out_type: Optional[DTypeLike] = None,
    little_endian: bool = True,
    name: Optional[str] = None,
    bytes: Any = None,
) -> Tensor:
    """The bytes of each string as numbers, along a new last axis."""
    given = either("input_bytes", input_bytes, "bytes", bytes)
    return raw_ops.DecodeRaw(
        bytes=required("input_bytes", given),
        out_type=required("out_type", out_type),
        little_endian=little_endian,
        name=name,
    )


def decode_csv(
    records: Any,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: Optional[str] = None,
    na_value: str = "",
    select_cols: Optional[List[int]] = None,
) -> List[Tensor]:
    """A tensor for each column of records of comma-separated values.

    `record_defaults` have the dtypes of the columns and the values of empty fields; a column whose
    default is empty must have a value in each record.
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
