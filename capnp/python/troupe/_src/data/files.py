"""Datasets of what is in files."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.data.components import Components
from troupe._src.data.dataset import Dataset
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape

_STRINGS = Components(dtypes.string, TensorShape([]))
_DEFAULT_BUFFER_BYTES = 256 * 1024


def _int64(value: Any, default: int) -> Tensor:
    return convert_to_tensor(default if value is None else value, dtypes.int64)


def _compression(value: Any) -> Tensor:
    return convert_to_tensor("" if value is None else value, dtypes.string)


def _filenames(filenames: Any) -> Any:
    """A dataset of names, or a tensor."""
    if isinstance(filenames, Dataset):
        if filenames._types != dtypes.string:
            raise TypeError("`filenames` must be a `tf.data.Dataset` of `tf.string` elements.")
        return filenames
    return convert_to_tensor(filenames, dtypes.string)


class _FileDataset(Dataset):
    """What an op reads from files that are named by a tensor or by a dataset."""

    def _begin(self, filenames: Any, read: Any, parallel_reads: Optional[int] = None) -> None:
        names = _filenames(filenames)
        self._components = _STRINGS
        if not isinstance(names, Dataset) and parallel_reads is None:
            self._variant_tensor = read(names)
            return
        if not isinstance(names, Dataset):
            names = Dataset.from_tensor_slices(array_ops.reshape(names, [-1]))

        def open_one(name: Tensor) -> Dataset:
            return Dataset._make(read(name), _STRINGS)

        if parallel_reads is None:
            files = names.flat_map(open_one)
        else:
            files = names.interleave(
                open_one,
                cycle_length=parallel_reads,
                block_length=1,
                num_parallel_calls=parallel_reads,
            )
        self._variant_tensor = files._variant_tensor


@set_module("troupe.data")
class TextLineDataset(_FileDataset):
    """The lines of text files, without their ends."""

    def __init__(
        self,
        filenames: Any,
        compression_type: Optional[TensorLike] = None,
        buffer_size: Optional[TensorLike] = None,
        num_parallel_reads: Optional[int] = None,
    ) -> None:
        """Reads the lines of files, without their ends.

        Args:
            filenames: Names of files: a string scalar or vector, or a dataset of them.
            compression_type: "", "ZLIB" or "GZIP"; a string scalar. By default the files are not
                compressed.
            buffer_size: How many bytes are read at once; by default the runtime chooses.
            num_parallel_reads: How many files are read at once, in turns; by default one after the
                other.
        """
        compression, size = _compression(compression_type), _int64(buffer_size, 0)
        self._begin(
            filenames,
            lambda names: raw_ops.TextLineDataset(
                filenames=names, compression_type=compression, buffer_size=size
            ),
            num_parallel_reads,
        )


@set_module("troupe.data")
class TFRecordDataset(_FileDataset):
    """The records of TFRecord files."""

    def __init__(
        self,
        filenames: Any,
        compression_type: Optional[TensorLike] = None,
        buffer_size: Optional[TensorLike] = None,
        num_parallel_reads: Optional[int] = None,
    ) -> None:
        """Reads the records of TFRecord files.

        Args:
            filenames: Names of files: a string scalar or vector, or a dataset of them.
            compression_type: "", "ZLIB" or "GZIP"; a string scalar. By default the files are not
                compressed.
            buffer_size: How many bytes are read at once, by default 256 KiB.
            num_parallel_reads: How many files are read at once, in turns; by default one after the
                other.
        """
        compression = _compression(compression_type)
        size = _int64(buffer_size, _DEFAULT_BUFFER_BYTES)
        self._begin(
            filenames,
            lambda names: raw_ops.TFRecordDataset(
                filenames=names, compression_type=compression, buffer_size=size
            ),
            num_parallel_reads,
        )


@set_module("troupe.data")
class FixedLengthRecordDataset(_FileDataset):
    """Records of one length, between a header and a footer of each file."""

    def __init__(
        self,
        filenames: Any,
        record_bytes: TensorLike,
        header_bytes: Optional[TensorLike] = None,
        footer_bytes: Optional[TensorLike] = None,
        buffer_size: Optional[TensorLike] = None,
        compression_type: Optional[TensorLike] = None,
        num_parallel_reads: Optional[int] = None,
    ) -> None:
        """Reads records of one length.

        Args:
            filenames: Names of files: a string scalar or vector, or a dataset of them.
            record_bytes: The length of each record.
            header_bytes: The length of what is skipped at the beginning of a file, by default 0.
            footer_bytes: The length of what is skipped at its end, by default 0.
            buffer_size: How many bytes are read at once, by default 256 KiB.
            compression_type: "", "ZLIB" or "GZIP"; a string scalar. By default the files are not
                compressed.
            num_parallel_reads: How many files are read at once, in turns; by default one after the
                other.
        """
        inputs: Any = {
            "header_bytes": _int64(header_bytes, 0),
            "record_bytes": _int64(record_bytes, 0),
            "footer_bytes": _int64(footer_bytes, 0),
            "buffer_size": _int64(buffer_size, _DEFAULT_BUFFER_BYTES),
            "compression_type": _compression(compression_type),
        }
        self._begin(
            filenames,
            lambda names: raw_ops.FixedLengthRecordDatasetV2(filenames=names, **inputs),
            num_parallel_reads,
        )


@set_module("troupe.data.experimental")
class TFRecordWriter:
    """Writes datasets to a TFRecord file.

    Args:
        filename: The name of the file, a string scalar.
        compression_type: "", "ZLIB" or "GZIP", a string scalar; by default the file is not
            compressed.
    """

    def __init__(
        self, filename: TensorLike, compression_type: Optional[TensorLike] = None
    ) -> None:
        self._filename = convert_to_tensor(filename, dtypes.string, name="filename")
        self._compression_type = _compression(compression_type)

    def write(self, dataset: Dataset) -> Operation:
        """Writes the elements, in place of what is in the file.

        Args:
            dataset: A dataset of string scalars.

        Returns:
            The operation that does so in each step.

        Raises:
            TypeError: It is no dataset, or one of other elements.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
        is_scalar = dataset._types == dtypes.string and not dataset._shapes.rank
        if not is_scalar:
            raise TypeError(
                "`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape "
                f"{dataset.output_shapes} and types {dataset.output_types}"
            )
        operation: Operation = raw_ops.DatasetToTFRecord(
            input_dataset=dataset._variant_tensor,
            filename=self._filename,
            compression_type=self._compression_type,
        )
        return operation
