"""Batches of the records of files of comma-separated values, whose columns have names and types."""

from __future__ import annotations

import codecs
import collections
import csv
import glob
import gzip
import io
import os
import zlib
from typing import Any, Callable, Iterator, List, Optional, Sequence

import numpy as np

from troupe._src.data.csv import CsvDataset
from troupe._src.data.dataset import Dataset
from troupe._src.data.transformations import ignore_errors as without_errors
from troupe._src.data_files.arrangement import prefetched, records_of, shuffled_and_repeated
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType

_BLOCK = 1 << 16

Rows = Callable[[str], Iterator[List[str]]]


def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Optional[Sequence[str]] = None,
    column_defaults: Optional[Sequence[Any]] = None,
    label_name: Optional[str] = None,
    select_columns: Optional[Sequence[Any]] = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Optional[int] = None,
    prefetch_buffer_size: Optional[int] = None,
    num_parallel_reads: Optional[int] = None,
    sloppy: bool = False,
    num_rows_for_inference: Optional[int] = 100,
    compression_type: Optional[str] = None,
    ignore_errors: bool = False,
) -> Dataset:
    """Batches of the records of files, as dicts of columns.

    Args:
        file_pattern: A pattern of names of files, or a list of them.
        batch_size: How many records a batch has.
        column_names: The names of all columns, by default those in the first line.
        column_defaults: For each column that is read, what stands for an empty field, or the dtype
            of one without empty fields; by default 0 or "", of the dtypes of the first records.
        label_name: The column that is given apart from the dict.
        select_columns: The columns that are read, by names or numbers, by default all.
        field_delim: The character between fields.
        use_quote_delim: Whether quotes enclose fields.
        na_value: The text of a field that counts as empty, too.
        header: Whether the first line of each file has names.
        num_epochs: How often the records are given; None for no end.
        shuffle: Whether their order is random.
        shuffle_buffer_size: Among how many of the next records each one is drawn.
        shuffle_seed: Of the order.
        prefetch_buffer_size: How many batches are made ahead, by default as the runtime chooses.
        num_parallel_reads: How many files take turns, by default one.
        sloppy: Has no effect: files take turns in order.
        num_rows_for_inference: How many records tell the dtypes; None for all.
        compression_type: "", "GZIP" or "ZLIB".
        ignore_errors: Leaves out records that cannot be read.

    Returns:
        A dataset of dicts, or of pairs of a dict and the label.

    Raises:
        ValueError: No file matches, columns have no names or the same ones, or one is asked for
            that there is not.
    """
    files = _files(file_pattern, shuffle)
    rows = _row_reader(field_delim, use_quote_delim, compression_type)
    if column_names is None:
        if not header:
            raise ValueError("Cannot infer column names without a header line.")
        column_names = _names(files, rows)
    names = list(column_names)
    if len(names) != len(set(names)):
        raise ValueError("Cannot have duplicate column names.")
    columns = list(range(len(names)))
    if select_columns is not None:
        columns = _columns(select_columns, names)
    if column_defaults is None:
        column_defaults = _defaults(
            files, rows, header, len(names), columns, na_value, num_rows_for_inference
        )
    if select_columns is not None and len(column_defaults) != len(columns):
        raise ValueError(
            "If specified, column_defaults and select_columns must have same length."
        )
    names = [names[column] for column in columns]
    if label_name is not None and label_name not in names:
        raise ValueError("`label_name` provided must be one of the columns.")
    given = list(column_defaults)

    def records(name: Any) -> Dataset:
        read: Dataset = CsvDataset(
            name,
            given,
            compression_type,
            header=header,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=None if select_columns is None else columns,
        )
        return without_errors()(read) if ignore_errors else read

    def features(*values: Any) -> Any:
        found = collections.OrderedDict(zip(names, values))
        return found if label_name is None else (found, found.pop(label_name))

    dataset = Dataset.from_tensor_slices(files)
    if shuffle:
        dataset = dataset.shuffle(len(files), shuffle_seed)
    dataset = records_of(dataset, records, num_parallel_reads)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(features)
    return prefetched(dataset, 1 if prefetch_buffer_size is None else prefetch_buffer_size)


def _files(file_pattern: Any, shuffle: bool) -> List[str]:
    patterns = file_pattern if isinstance(file_pattern, (list, tuple)) else [file_pattern]
    if not patterns:
        raise ValueError("File pattern is empty.")
    found = [name for pattern in patterns for name in glob.glob(os.fspath(pattern))]
    if not found:
        raise ValueError(f"No files match {file_pattern}.")
    return sorted(found)


def _row_reader(field_delim: str, use_quote_delim: bool, compression: Optional[str]) -> Rows:
    """A function that gives the records of a file."""
    if compression not in (None, "", "GZIP", "ZLIB"):
        raise ValueError(f"compression_type ({compression}) is not supported")
    quoting: Any = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE

    def rows(name: str) -> Iterator[List[str]]:
        with open(name, "rb") as file:
            if compression == "GZIP":
                text: Any = io.TextIOWrapper(gzip.GzipFile(fileobj=file), newline="")
            elif compression == "ZLIB":
                text = _inflated_lines(file)
            else:
                text = io.TextIOWrapper(file, newline="")
            yield from csv.reader(text, delimiter=field_delim, quoting=quoting)

    return rows


def _inflated_lines(file: Any) -> Iterator[str]:
    """The lines of a compressed file, of which a block is in memory at a time."""
    inflate, decoder, rest = zlib.decompressobj(), codecs.getincrementaldecoder("utf-8")(), ""
    while block := inflate.unconsumed_tail or file.read(_BLOCK):
        *lines, rest = (rest + decoder.decode(inflate.decompress(block, _BLOCK))).split("\n")
        yield from (line + "\n" for line in lines)
    yield from io.StringIO(rest + decoder.decode(inflate.flush(), True), newline="")


def _names(files: Sequence[str], rows: Rows) -> List[str]:
    """The first line, which all files have."""
    names: Optional[List[str]] = None
    for file in files:
        first = next(rows(file), None)
        if first is None:
            raise ValueError(
                f"Received StopIteration when reading the header line of {file}.  Empty file?"
            )
        if names is not None and names != first:
            raise ValueError("Files have different column names in the header row.")
        names = first
    return names or []


def _columns(selected: Sequence[Any], names: Sequence[str]) -> List[int]:
    """The numbers of columns, in order."""
    found = []
    for each in selected:
        if isinstance(each, int):
            if not 0 <= each < len(names):
                raise ValueError(
                    f"Column index {each} specified in select_columns out of valid range."
                )
        elif each not in names:
            raise ValueError(
                f"Value '{each}' specified in select_columns not a valid column index or name."
            )
        found.append(each if isinstance(each, int) else list(names).index(each))
    if len(set(found)) != len(found):
        raise ValueError("select_columns contains duplicate columns")
    return sorted(found)


def _defaults(
    files: Sequence[str],
    rows: Rows,
    header: bool,
    count: int,
    columns: Sequence[int],
    na_value: str,
    limit: Optional[int],
) -> List[Any]:
    """What stands for empty fields, of the dtypes that the first records have."""
    found: List[Optional[int]] = [None] * len(columns)
    seen = 0
    for file in files:
        for number, row in enumerate(rows(file)):
            if number == 0 and header:
                continue
            if limit is not None and seen >= limit:
                break
            if len(row) != count:
                raise ValueError(
                    "Problem inferring types: CSV row has different number of fields than expected."
                )
            seen += 1
            for at, column in enumerate(columns):
                found[at] = _wider(row[column], na_value, found[at])
    kinds = [_KINDS[-1 if each is None else each] for each in found]
    return [
        [""] if kind == dtypes.string else np.zeros([1], kind.as_numpy_dtype) for kind in kinds
    ]


# From the narrowest to the widest.
_KINDS: List[DType] = [
    dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string
]  # fmt: skip


def _wider(text: str, na_value: str, before: Optional[int]) -> Optional[int]:
    """The place of the narrowest dtype that has the text and what came before."""
    if text in ("", na_value):
        return before
    least = 0 if before is None else before
    return next(place for place in range(least, len(_KINDS)) if _is_of(text, _KINDS[place]))


def _is_of(text: str, kind: DType) -> bool:
    if kind == dtypes.string:
        return True
    try:
        if kind.is_integer:
            return bool(kind.min <= int(text) <= kind.max)
        with np.errstate(over="ignore"):
            return bool(kind.as_numpy_dtype(text) < np.inf)
    except ValueError:
        return False
