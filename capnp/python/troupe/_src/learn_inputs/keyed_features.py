"""Batches of features of records of files, with their keys."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.io.reader_ops import TFRecordReader
from troupe._src.learn_inputs.keyed_examples import (
    read_keyed_batch_examples,
    read_keyed_batch_examples_shared_queue,
)
from troupe._src.ops import math_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.parsing.example_ops import parse_example
from troupe._src.queues.queue_runner import QueueRunner, add_queue_runner
from troupe._src.queues.queues import FIFOQueue
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import scalar
from troupe._src.types import dtypes, errors

_MODULE = "troupe.contrib.learn"
ParseFn = Optional[Callable[[Tensor], Any]]


@set_module(_MODULE)
def read_batch_features(
    file_pattern: Any, batch_size: Any, features: Dict[str, Any], reader: Callable[[], Any],
    randomize_input: bool = True, num_epochs: Optional[int] = None, queue_capacity: int = 10000,
    feature_queue_capacity: int = 100, reader_num_threads: int = 1, num_enqueue_threads: int = 2,
    parse_fn: ParseFn = None, name: Optional[str] = None, read_batch_size: Optional[int] = None,
) -> Dict[str, Any]:  # fmt: skip
    """Batches of parsed Examples of files, which queue runners read and parse.

    Args:
        file_pattern: A pattern of names of files, or a list of them.
        batch_size: The number of Examples of a batch, a number or a scalar.
        features: What is parsed by name, as for `tf.io.parse_example`.
        reader: Makes a reader, as the class `tf.TFRecordReader` does.
        randomize_input: Whether the files and their records are shuffled.
        num_epochs: How often all are read, counted by a local variable; None for no end.
        queue_capacity: How many records their queue holds.
        feature_queue_capacity: How many parsed batches theirs holds.
        reader_num_threads: How many threads read.
        num_enqueue_threads: How many threads parse.
        parse_fn: Makes an Example of a record.
        read_batch_size: How many records a thread reads at once, by default a batch.

    Returns:
        {name: Tensor or SparseTensor}.

    Raises:
        ValueError: No file matches, or a number is not positive.
    """
    return read_keyed_batch_features(
        file_pattern, batch_size, features, reader, randomize_input, num_epochs, queue_capacity,
        reader_num_threads, feature_queue_capacity, num_enqueue_threads, parse_fn, name,
        read_batch_size,
    )[1]  # fmt: skip


@set_module(_MODULE)
def read_batch_record_features(
    file_pattern: Any, batch_size: Any, features: Dict[str, Any], randomize_input: bool = True,
    num_epochs: Optional[int] = None, queue_capacity: int = 10000, reader_num_threads: int = 1,
    name: Optional[str] = "dequeue_record_examples",
) -> Dict[str, Any]:  # fmt: skip
    """`read_batch_features` of TFRecord files.

    Args:
        file_pattern: A pattern of names of files, or a list of them.
        batch_size: The number of records of a batch, a number or a scalar.
        features: What is parsed by name, as for `tf.io.parse_example`.
        randomize_input: Whether the files and their records are shuffled.
        num_epochs: How often all are read, counted by a local variable; None for no end.
        queue_capacity: How many records their queue holds.
        reader_num_threads: How many threads read.

    Returns:
        {name: Tensor or SparseTensor}.

    Raises:
        ValueError: No file matches, or a number is not positive.
    """
    return read_batch_features(
        file_pattern,
        batch_size,
        features,
        TFRecordReader,
        randomize_input,
        num_epochs,
        queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )


@set_module(_MODULE)
def read_keyed_batch_features(
    file_pattern: Any, batch_size: Any, features: Dict[str, Any], reader: Callable[[], Any],
    randomize_input: bool = True, num_epochs: Optional[int] = None, queue_capacity: int = 10000,
    reader_num_threads: int = 1, feature_queue_capacity: int = 100, num_enqueue_threads: int = 2,
    parse_fn: ParseFn = None, name: Optional[str] = None, read_batch_size: Optional[int] = None,
) -> Tuple[Tensor, Dict[str, Any]]:  # fmt: skip
    """`read_batch_features` with the keys that the reader gives.

    Args:
        file_pattern: A pattern of names of files, or a list of them.
        batch_size: The number of records of a batch, a number or a scalar.
        features: What is parsed by name, as for `tf.io.parse_example`.
        reader: Makes a reader, as the class `tf.TFRecordReader` does.
        randomize_input: Whether the files and their records are shuffled.
        num_epochs: How often all are read, counted by a local variable; None for no end.
        queue_capacity: How many records their queue holds.
        reader_num_threads: How many threads read.
        feature_queue_capacity: How many parsed batches theirs holds.
        num_enqueue_threads: How many threads parse.
        parse_fn: Makes something else of records.
        read_batch_size: How many records a thread reads at once.

    Returns:
        The keys, a tensor of strings [batch], and {name: Tensor or SparseTensor}.

    Raises:
        ValueError: No file matches, or a number is not positive.
    """
    with name_scope(name, "read_batch_features") as scope:
        keys, examples = read_keyed_batch_examples(
            file_pattern, batch_size, reader, randomize_input, num_epochs, queue_capacity,
            reader_num_threads, batch_size if read_batch_size is None else read_batch_size,
            parse_fn, scope,
        )  # fmt: skip
        parsed = parse_example(examples, features)
        return _queued(parsed, keys, feature_queue_capacity, num_enqueue_threads, scope)


@set_module(_MODULE)
def read_keyed_batch_features_shared_queue(
    file_pattern: Any, batch_size: Any, features: Dict[str, Any], reader: Callable[[], Any],
    randomize_input: bool = True, num_epochs: Optional[int] = None, queue_capacity: int = 10000,
    reader_num_threads: int = 1, feature_queue_capacity: int = 100, num_queue_runners: int = 2,
    parse_fn: ParseFn = None, name: Optional[str] = None,
) -> Tuple[Tensor, Dict[str, Any]]:  # fmt: skip
    """`read_keyed_batch_features` whose queue of files may be on another task.

    Args:
        file_pattern: A pattern of names of files, or a list of them.
        batch_size: The number of records of a batch, a number or a scalar.
        features: What is parsed by name, as for `tf.io.parse_example`.
        reader: Makes a reader, as the class `tf.TFRecordReader` does.
        randomize_input: Whether the files and their records are shuffled.
        num_epochs: How often all are read, counted by a local variable; None for no end.
        queue_capacity: How many records their queue holds.
        reader_num_threads: How many threads read.
        feature_queue_capacity: How many parsed batches theirs holds.
        num_queue_runners: How many threads parse.
        parse_fn: Makes something else of records.

    Returns:
        The keys, a tensor of strings [batch], and {name: Tensor or SparseTensor}.

    Raises:
        ValueError: No file matches, or a number is not positive.
    """
    with name_scope(name, "read_batch_features") as scope:
        keys, examples = read_keyed_batch_examples_shared_queue(
            file_pattern, batch_size, reader, randomize_input, num_epochs, queue_capacity,
            reader_num_threads, batch_size, parse_fn, scope,
        )  # fmt: skip
        parsed = parse_example(examples, features)
        return _queued(parsed, keys, feature_queue_capacity, num_queue_runners, scope)


def _parts(value: Any) -> List[Tensor]:
    is_sparse = isinstance(value, SparseTensor)
    return [value.indices, value.values, value.dense_shape] if is_sparse else [value]


def _queued(
    parsed: Dict[str, Any], keys: Tensor, capacity: int, num_threads: int, scope: Any
) -> Tuple[Tensor, Dict[str, Any]]:
    """Features and keys as they come out of a queue, which threads fill."""
    with name_scope(scope, "queue_parsed_features"):
        names = sorted(parsed)
        tensors = [part for name in names for part in _parts(parsed[name])] + [keys]
        queue = FIFOQueue(capacity, [tensor.dtype for tensor in tensors])
        scalar(
            f"queue/parsed_features/{queue.name}/fraction_of_{capacity}_full",
            math_ops.cast(queue.size(), dtypes.float32) * (1.0 / capacity),
        )
        add_queue_runner(QueueRunner(
            queue,
            [queue.enqueue(tensors) for _ in range(num_threads)],
            queue_closed_exception_types=(errors.OutOfRangeError, errors.CancelledError),
        ))  # fmt: skip
        values = iter(queue.dequeue() if len(tensors) > 1 else [queue.dequeue()])
        found: List[Tensor] = []
        for tensor, value in zip(tensors, values):
            value.set_shape(tensor.shape)
            found.append(value)
        rest = iter(found)
        result: Dict[str, Any] = {}
        for name in names:
            taken = [next(rest) for _ in _parts(parsed[name])]
            result[name] = SparseTensor(*taken) if len(taken) == 3 else taken[0]
        return next(rest), result
