"""Datasets of the records of files of comma-separated values."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.data.components import Components
from troupe._src.data.dataset import Dataset
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.types.shapes import TensorShape

_DEFAULT_BUFFER_BYTES = 256 * 1024


@set_module("troupe.data.experimental")
class CsvDataset(Dataset):
    """The records of files, one file after the other; an element is a tuple of scalars.

    A record ends with a line, but a field in quotes may have line breaks inside.

    Args:
        filenames: A name, or a vector of names.
        record_defaults: For each column that is read, what stands for an empty field, or the dtype
            of a column without empty fields.
        compression_type: "", "GZIP" or "ZLIB"; by default the files are not compressed.
        buffer_size: How many bytes are read at once; by default the runtime chooses.
        header: Whether the first record of each file is left out.
        field_delim: The character between fields.
        use_quote_delim: Whether quotes enclose fields.
        na_value: The text of a field that counts as empty, too.
        select_cols: The columns that are read, in order, by default all.

    Raises:
        ValueError: A default is no scalar and no vector.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Optional[TensorLike] = None,
        buffer_size: Optional[TensorLike] = None,
        header: TensorLike = False,
        field_delim: TensorLike = ",",
        use_quote_delim: TensorLike = True,
        na_value: TensorLike = "",
        select_cols: Optional[List[int]] = None,
    ) -> None:
        defaults = [_default(each) for each in record_defaults]
        columns: Any = [] if select_cols is None else select_cols
        size = _DEFAULT_BUFFER_BYTES if buffer_size is None else buffer_size
        compression = "" if compression_type is None else compression_type
        self._components = Components(
            tuple(each.dtype for each in defaults), tuple(TensorShape([]) for _ in defaults)
        )
        self._variant_tensor = raw_ops.CSVDataset(
            filenames=convert_to_tensor(filenames, dtypes.string),
            compression_type=convert_to_tensor(compression, dtypes.string),
            buffer_size=convert_to_tensor(size, dtypes.int64),
            header=convert_to_tensor(header, dtypes.bool_),
            field_delim=convert_to_tensor(field_delim, dtypes.string),
            use_quote_delim=convert_to_tensor(use_quote_delim, dtypes.bool_),
            na_value=convert_to_tensor(na_value, dtypes.string),
            select_cols=convert_to_tensor(columns, dtypes.int64),
            record_defaults=defaults,
            output_shapes=self._components.flat_shapes(),
        )


def _default(given: Any) -> Tensor:
    """A default as a tensor; an empty one of that dtype, which stands for none, for a dtype."""
    if isinstance(given, (DType, type)):
        return convert_to_tensor([], as_dtype(given))
    tensor = convert_to_tensor(given)
    if tensor.shape.rank not in (None, 0, 1):
        raise ValueError(
            f"A record default has the shape {tensor.shape}: Shape must be at most rank 1 but is "
            f"rank {tensor.shape.rank}"
        )
    return tensor
