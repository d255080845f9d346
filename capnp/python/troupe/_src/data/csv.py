"""Datasets of the records of files of comma-separated values."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.data.dataset import Dataset
from troupe._src.data.files import TextLineDataset
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.parsing.parsing_ops import decode_csv
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, as_dtype


@set_module("troupe.data.experimental")
class CsvDataset(Dataset):
    """The records of files, one file after the other; an element is a tuple of scalars.

    A record is a line: no field has a line break.

    Args:
        filenames: A name, or a vector of names.
        record_defaults: For each column that is read, what stands for an empty field, or the dtype
            of a column without empty fields.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: How many bytes are read at once.
        header: Whether the first line of each file is left out.
        field_delim: The character between fields.
        use_quote_delim: Whether quotes enclose fields.
        na_value: The text of a field that counts as empty, too.
        select_cols: The columns that are read, in order, by default all.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Optional[str] = None,
        buffer_size: Optional[int] = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Optional[List[int]] = None,
    ) -> None:
        defaults = [_default(each) for each in record_defaults]

        def records(name: Any) -> Dataset:
            return TextLineDataset(name, compression_type, buffer_size).skip(1 if header else 0)

        def fields(line: Any) -> Any:
            columns = decode_csv(
                line,
                defaults,
                field_delim,
                use_quote_delim,
                na_value=na_value,
                select_cols=select_cols,
            )
            return tuple(columns)

        names = convert_to_tensor(filenames, dtypes.string)
        if names.shape.rank == 0:
            made = records(names).map(fields)
        else:
            made = Dataset.from_tensor_slices(names).flat_map(records).map(fields)
        self._variant_tensor, self._components = made._variant_tensor, made._components


def _default(given: Any) -> Any:
    """A default as a tensor; an empty one of that dtype, which stands for none, for a dtype."""
    return convert_to_tensor([], as_dtype(given)) if _is_dtype(given) else given


def _is_dtype(given: Any) -> bool:
    return isinstance(given, (DType, type))
