"""Readers of series: of arrays, of CSV files, of files of examples."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.estimator.inputs import numpy_input_fn
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import control_dependencies
from troupe._src.inputs.producers import string_input_producer
from troupe._src.io.reader_ops import TextLineReader, TFRecordReader
from troupe._src.ops import array_ops, creation_ops, gen_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.parsing.example_ops import parse_example
from troupe._src.parsing.parsing_ops import decode_csv
from troupe._src.set_module import set_module
from troupe._src.timeseries.arrays import canonical_arrays
from troupe._src.timeseries.feature_keys import TrainEvalFeatures
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import is_variable_initialized

_TIMES, _VALUES = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES


class TimeSeriesReader:
    """Reads one series."""

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        """Raises a ValueError where the series is known to be shorter.

        Args:
            minimum_dataset_size: Of how many records it must be.
        """

    def read(self) -> Dict[str, Any]:
        """Features of some records, [records, ...]; each step reads the next ones."""
        raise NotImplementedError("Abstract method")

    def read_full(self) -> Dict[str, Any]:
        """Features of the whole series, [series length, ...]."""
        raise NotImplementedError("Abstract method")


@set_module("troupe.contrib.timeseries")
class NumpyReader(TimeSeriesReader):
    """Reads a series of arrays.

    Args:
        data: By key, [series length, ...]: times and values, which may have an axis of features,
            and more.
        read_num_records_hint: How many records `read` gives at a time.

    Raises:
        ValueError: Times or values lack, or shapes do not fit.
    """

    def __init__(self, data: Dict[str, Any], read_num_records_hint: int = 4096) -> None:
        self._features = canonical_arrays(data, require_single_batch=True)
        self._read_num_records_hint = read_num_records_hint

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        size = self._features[_TIMES].shape[1]
        if size < minimum_dataset_size:
            raise ValueError(
                "A TimeSeriesInputFn is configured to create windows of size "
                f"{minimum_dataset_size}, but only {size} records were available in the dataset. "
                "Either decrease the window size or provide more records."
            )

    def read(self) -> Dict[str, Any]:
        records = {key: value[0] for key, value in self._features.items()}
        found: Dict[str, Any] = numpy_input_fn(
            x=records, batch_size=self._read_num_records_hint, num_epochs=None, shuffle=False
        )()
        return found

    def read_full(self) -> Dict[str, Any]:
        features = numpy_input_fn(
            x=self._features, batch_size=1, num_epochs=None, queue_capacity=2, shuffle=False
        )()
        return {key: array_ops.squeeze(value, axis=[0]) for key, value in features.items()}


class ReaderBaseTimeSeriesParser(TimeSeriesReader):
    """Reads a series of files; a class of them has a reader of records, and parses these.

    Args:
        filenames: Names of files, in order.
        read_num_records_hint: How many records `read` gives at a time.
    """

    def __init__(self, filenames: Any, read_num_records_hint: int = 4096) -> None:
        self._filenames = filenames
        self._read_num_records_hint = read_num_records_hint

    def _get_reader(self) -> Any:
        raise NotImplementedError("Abstract method")

    def _process_records(self, lines: Any) -> Dict[str, Any]:
        raise NotImplementedError("Abstract method")

    def _files(self, epoch_limit: int) -> Tuple[Any, Variable]:
        """A queue of the files, and what counts how often they come round without a record."""
        count = Variable(
            constant(0, dtypes.int64), name="epoch_limiter", trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )  # fmt: skip
        names = array_ops.reshape(convert_to_tensor(self._filenames), [-1])
        # The files are queued before the variable is initialized, too.
        counted = cond(
            is_variable_initialized(count),
            lambda: count.count_up_to(epoch_limit),
            lambda: constant(0, dtypes.int64),
        )
        with control_dependencies([counted]):
            names = array_ops.identity(names)
        return string_input_producer(names, shuffle=False, capacity=1), count

    def read(self) -> Dict[str, Any]:
        files, count = self._files(self._read_num_records_hint)
        reader = self._get_reader()
        with control_dependencies([assign(count, 0)]):
            _, records = reader.read_up_to(files, self._read_num_records_hint)
        return self._process_records(records)

    def read_full(self) -> Dict[str, Any]:
        reader = self._get_reader()
        files, count = self._files(2)
        with control_dependencies([assign(count, 0)]):
            first_key, first_value = reader.read_up_to(files, 1)

        def is_not_first(key: Any, value: Any, index: Any, records: Any) -> Any:
            return gen_ops.not_equal(array_ops.squeeze(key, [0]), array_ops.squeeze(first_key, [0]))

        def read_next(key: Any, value: Any, index: Any, records: Any) -> Any:
            key, next_value = reader.read_up_to(files, 1)
            key.set_shape([1])
            next_value.set_shape([1])
            return key, next_value, index + 1, records.write(index, value)

        array = TensorArray(dtypes.string, size=0, dynamic_size=True)
        start = [constant([""]), first_value, constant(0), array]
        first_value.set_shape([1])
        records = while_loop(is_not_first, read_next, start)[3].concat()
        with control_dependencies([records]):
            reset = reader.reset()
        with control_dependencies([reset]):
            records = array_ops.identity(records)
        return self._process_records(records)


@set_module("troupe.contrib.timeseries")
class CSVReader(ReaderBaseTimeSeriesParser):
    """Reads a series of CSV files.

    Args:
        filenames: Names of files, in order.
        column_names: The key of each column; columns of one key are the features of its last axis.
        column_dtypes: The dtype of each column; by default int64 of times, and float32.
        skip_header_lines: How many lines begin each file that are no records.
        read_num_records_hint: How many records `read` gives at a time.

    Raises:
        ValueError: There are no columns of times or of values, two of times, or other numbers of
            names and of dtypes.
    """

    def __init__(
        self,
        filenames: Any,
        column_names: Sequence[str] = (_TIMES, _VALUES),
        column_dtypes: Optional[Sequence[Any]] = None,
        skip_header_lines: Optional[int] = None,
        read_num_records_hint: int = 4096,
    ) -> None:
        for name in (_TIMES, _VALUES):
            if name not in column_names:
                raise ValueError(f"'{name}' is a required column.")
        if column_dtypes is not None and len(column_dtypes) != len(column_names):
            raise ValueError(
                "If specified, the length of column_dtypes must match the length of column_names "
                f"(got column_dtypes={column_dtypes} and column_names={column_names})."
            )
        if list(column_names).count(_TIMES) != 1:
            raise ValueError(
                f"Got more than one times column ('{_TIMES}'), but exactly one is required."
            )
        self._column_names = column_names
        self._column_dtypes = column_dtypes
        self._skip_header_lines = skip_header_lines
        super().__init__(filenames, read_num_records_hint)

    def _get_reader(self) -> Any:
        return TextLineReader(skip_header_lines=self._skip_header_lines)

    def _process_records(self, lines: Any) -> Dict[str, Any]:
        kinds: Sequence[Any] = self._column_dtypes or [
            dtypes.int64 if name == _TIMES else None for name in self._column_names
        ]
        defaults: List[Any] = [
            [] if kind is None else [creation_ops.zeros([], kind)] for kind in kinds
        ]
        by_key: Dict[str, List[Any]] = {}
        for name, column in zip(self._column_names, decode_csv(lines, defaults)):
            by_key.setdefault(name, []).append(column)
        return {
            key: columns[0] if key == _TIMES else array_ops.stack(columns, axis=1)
            for key, columns in by_key.items()
        }


class TFExampleReader(ReaderBaseTimeSeriesParser):
    """Reads a series of files of serialized examples, a record each.

    Args:
        filenames: Names of files, in order.
        features: How features are parsed, by key.

    Raises:
        ValueError: Times or values lack.
    """

    def __init__(self, filenames: Any, features: Dict[str, Any]) -> None:
        for name in (_TIMES, _VALUES):
            if name not in features:
                raise ValueError(f"'{name}' is a required column.")
        self._features = features
        super().__init__(filenames)

    def _get_reader(self) -> Any:
        return TFRecordReader()

    def _process_records(self, lines: Any) -> Dict[str, Any]:
        found: Dict[str, Any] = parse_example(lines, self._features)
        return found
