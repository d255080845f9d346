"""Batches of records of files, with their keys."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from troupe._src.contrib_ops.input_pipeline import seek_next
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.inputs.batching import batch_join
from troupe._src.inputs.producers import string_input_producer
from troupe._src.inputs.shuffling import shuffle_batch_join
from troupe._src.layers.utils import smart_cond
from troupe._src.ops.convert import constant
from troupe._src.platform import gfile
from troupe._src.queues.queue_runner import QueueRunner, add_queue_runner
from troupe._src.queues.queues import FIFOQueue
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

_MODULE = "troupe.contrib.learn"
# The name of the keys beside parsed features.
_KEY = "__key__"


@set_module(_MODULE)
def read_batch_examples(
    file_pattern: Any, batch_size: Any, reader: Callable[[], Any], randomize_input: bool = True,
    num_epochs: Optional[int] = None, queue_capacity: int = 10000, num_threads: int = 1,
    read_batch_size: int = 1, parse_fn: Optional[Callable[[Tensor], Any]] = None,
    name: Optional[str] = None, seed: Optional[int] = None,
) -> Any:  # fmt: skip
    """Batches of records of files, which queue runners read.

    Args:
        file_pattern: A pattern of names of files, or a list of them.
        batch_size: The number of records of a batch, a number or a scalar.
        reader: Makes a reader, as the class `tf.TFRecordReader` does.
        randomize_input: Whether the files and their records are shuffled.
        num_epochs: How often all are read, counted by a local variable; None for no end. The last
            batch of all may be smaller.
        queue_capacity: How many records the queue holds.
        num_threads: How many threads read.
        read_batch_size: How many records a thread reads at once.
        parse_fn: Makes something else of records, such as features by name.
        seed: What shuffles.

    Returns:
        A tensor of strings, [batch], or what `parse_fn` gives, in batches.

    Raises:
        ValueError: No file matches, or a number is not positive.
    """
    return read_keyed_batch_examples(
        file_pattern, batch_size, reader, randomize_input, num_epochs, queue_capacity, num_threads,
        read_batch_size, parse_fn, name, seed,
    )[1]  # fmt: skip


@set_module(_MODULE)
def read_keyed_batch_examples(
    file_pattern: Any, batch_size: Any, reader: Callable[[], Any], randomize_input: bool = True,
    num_epochs: Optional[int] = None, queue_capacity: int = 10000, num_threads: int = 1,
    read_batch_size: int = 1, parse_fn: Optional[Callable[[Tensor], Any]] = None,
    name: Optional[str] = None, seed: Optional[int] = None,
) -> Any:  # fmt: skip
    """`read_batch_examples` with the keys that the reader gives.

    Args:
        file_pattern: A pattern of names of files, or a list of them.
        batch_size: The number of records of a batch, a number or a scalar.
        reader: Makes a reader, as the class `tf.TFRecordReader` does.
        randomize_input: Whether the files and their records are shuffled.
        num_epochs: How often all are read, counted by a local variable; None for no end.
        queue_capacity: How many records their queue holds.
        num_threads: How many threads read.
        read_batch_size: How many records a thread reads at once.
        parse_fn: Makes something else of records.
        seed: What shuffles.

    Returns:
        The keys, a tensor of strings [batch], and the records.

    Raises:
        ValueError: No file matches, or a number is not positive.
    """
    files = _files(file_pattern, randomize_input)
    _check(batch_size, num_epochs, queue_capacity, num_threads, read_batch_size)
    with name_scope(name, "read_batch_examples") as scope:
        with name_scope("file_name_queue") as queue_scope:
            queue = string_input_producer(
                constant(files, name="input"),
                num_epochs=num_epochs,
                shuffle=randomize_input,
                seed=seed,
                name=queue_scope,
            )
        records = _records(queue, reader, num_threads, read_batch_size, parse_fn)
        return _batched(
            records, batch_size, randomize_input, num_epochs, queue_capacity, read_batch_size,
            scope, seed,
        )  # fmt: skip


@set_module(_MODULE)
def read_keyed_batch_examples_shared_queue(
    file_pattern: Any, batch_size: Any, reader: Callable[[], Any], randomize_input: bool = True,
    num_epochs: Optional[int] = None, queue_capacity: int = 10000, num_threads: int = 1,
    read_batch_size: int = 1, parse_fn: Optional[Callable[[Tensor], Any]] = None,
    name: Optional[str] = None, seed: Optional[int] = None,
) -> Any:  # fmt: skip
    """`read_keyed_batch_examples` whose queue of files may be on another task.

    Several workers then read each file once.

    Args:
        file_pattern: A pattern of names of files, or a list of them.
        batch_size: The number of records of a batch, a number or a scalar.
        reader: Makes a reader, as the class `tf.TFRecordReader` does.
        randomize_input: Whether the files and their records are shuffled.
        num_epochs: How often all are read, counted by a local variable; None for no end.
        queue_capacity: How many records their queue holds.
        num_threads: How many threads read.
        read_batch_size: How many records a thread reads at once.
        parse_fn: Makes something else of records.
        seed: What shuffles.

    Returns:
        The keys, a tensor of strings [batch], and the records.

    Raises:
        ValueError: No file matches, or a number is not positive.
    """
    files = _files(file_pattern, randomize_input)
    _check(batch_size, num_epochs, queue_capacity, num_threads, read_batch_size)
    with name_scope(name, "read_batch_examples") as scope:
        with name_scope("file_name_queue"):
            queue = FIFOQueue(capacity=1, dtypes=[dtypes.string], shapes=[[]])
            following = seek_next(files, shuffle=randomize_input, num_epochs=num_epochs, seed=seed)
            add_queue_runner(QueueRunner(queue, [queue.enqueue(following)]))
        records = _records(queue, reader, num_threads, read_batch_size, parse_fn)
        return _batched(
            records, batch_size, randomize_input, num_epochs, queue_capacity, read_batch_size,
            scope, seed,
        )  # fmt: skip


def _files(file_pattern: Any, is_shuffled: bool) -> List[str]:
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    if not patterns:
        raise ValueError("No files given to dequeue_examples.")
    files = [file for pattern in patterns for file in gfile.Glob(pattern)]
    if not files:
        raise ValueError(f"No files match {file_pattern}.")
    return files if is_shuffled else sorted(files)


def _check(
    batch_size: Any, num_epochs: Any, queue_capacity: Any, num_threads: Any, read_batch_size: Any
) -> None:
    if not queue_capacity or queue_capacity <= 0:
        raise ValueError(f"Invalid queue_capacity {queue_capacity}.")
    is_known = not isinstance(batch_size, Tensor)
    if batch_size is None or is_known and not 0 < batch_size < queue_capacity:
        message = f"Invalid batch_size {batch_size}, with queue_capacity {queue_capacity}."
        raise ValueError(message)
    is_known = not isinstance(read_batch_size, Tensor)
    if read_batch_size is None or is_known and read_batch_size <= 0:
        raise ValueError(f"Invalid read_batch_size {read_batch_size}.")
    if not num_threads or num_threads <= 0:
        raise ValueError(f"Invalid num_threads {num_threads}.")
    if num_epochs is not None and num_epochs <= 0:
        raise ValueError(f"Invalid num_epochs {num_epochs}.")


def _records(
    queue: Any, reader: Any, num_threads: int, read_batch_size: Any, parse_fn: Any
) -> List[Any]:
    """What each thread reads: keys and records, or features by name with the keys among them."""
    found: List[Any] = []
    with name_scope("read"):
        for _ in range(num_threads):
            keys, records = smart_cond(
                read_batch_size > 1,
                lambda: reader().read_up_to(queue, read_batch_size),
                lambda: reader().read(queue),
            )
            parsed = parse_fn(records) if parse_fn else records
            found.append({**parsed, _KEY: keys} if isinstance(parsed, dict) else (keys, parsed))
    return found


def _batched(
    records: List[Any], batch_size: Any, is_shuffled: bool, num_epochs: Optional[int],
    capacity: int, read_batch_size: Any, scope: Any, seed: Optional[int],
) -> Any:  # fmt: skip
    options: Any = {
        "capacity": capacity,
        "enqueue_many": read_batch_size > 1,
        "allow_smaller_final_batch": num_epochs is not None,
        "name": scope,
    }
    if is_shuffled:
        if isinstance(batch_size, Tensor):
            least = int(capacity * 0.4)
        else:
            least = max(capacity - 3 * batch_size, batch_size)
        result = shuffle_batch_join(
            records, batch_size, min_after_dequeue=least, seed=seed, **options
        )
    else:
        result = batch_join(records, batch_size, **options)
    if isinstance(result, dict):
        keys = result.pop(_KEY)
        return keys, result
    return result
