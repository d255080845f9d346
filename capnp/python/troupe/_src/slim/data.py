"""Sets of examples in files, and what reads them."""

from __future__ import annotations

import abc
from typing import Any, Dict, List, Optional, Sequence, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.inputs.producers import string_input_producer
from troupe._src.io.reader_ops import ReaderBase
from troupe._src.ops import math_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.platform import gfile
from troupe._src.queues.queue_runner import QueueRunner, add_queue_runner
from troupe._src.queues.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from troupe._src.set_module import set_module
from troupe._src.summary import summary_ops
from troupe._src.types import dtypes as _dtypes

Sources = Union[str, Sequence[Any]]


@set_module("troupe.contrib.slim.data_decoder")
class DataDecoder(abc.ABC):
    """Makes the items of an example of its data."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Any) -> List[Any]:
        """The items of an example.

        Args:
            data: The example, as the reader gave it.
            items: The names of the items.

        Returns:
            A tensor for each item.
        """

    @abc.abstractmethod
    def list_items(self) -> Any:
        """The names of the items that it knows."""


@set_module("troupe.contrib.slim.dataset")
class Dataset:
    """What is known of a set of examples, as attributes.

    Args:
        data_sources: The files, or patterns of their names.
        reader: The class that reads them, such as `tf.TFRecordReader`.
        decoder: A `DataDecoder` of what is read.
        num_samples: How many examples there are.
        items_to_descriptions: {name of an item: text}.
        **kwargs: Further attributes.
    """

    def __init__(
        self, data_sources: Sources, reader: Any, decoder: DataDecoder, num_samples: Any,
        items_to_descriptions: Dict[str, str], **kwargs: Any,
    ) -> None:  # fmt: skip
        self.data_sources = data_sources
        self.reader = reader
        self.decoder = decoder
        self.num_samples = num_samples
        self.items_to_descriptions = items_to_descriptions
        self.__dict__.update(kwargs)


@set_module("troupe.contrib.slim.data_provider")
class DataProvider(abc.ABC):
    """Gives the items of examples as tensors.

    Args:
        items_to_tensors: {name of an item: tensor}.
        num_samples: How many examples there are.
    """

    def __init__(self, items_to_tensors: Dict[str, Any], num_samples: Any) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Sequence[str]) -> List[Any]:
        """The tensors of items.

        Args:
            items: A list of their names.

        Returns:
            The tensors.

        Raises:
            ValueError: It is no list, or there is no such item.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        for item in items:
            if item not in self._items_to_tensors:
                raise ValueError(
                    f"Item [{item}] is invalid. Valid entries include: {self.list_items()}"
                )
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> Any:
        """The names of the items."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> Any:
        """How many examples there are."""
        return self._num_samples


@set_module("troupe.contrib.slim.dataset_data_provider")
class DatasetDataProvider(DataProvider):
    """Reads a `Dataset`, by queue runners.

    Args:
        dataset: The `Dataset`.
        num_readers: How many readers there are.
        reader_kwargs: The arguments of each one.
        shuffle: Whether files and examples come in a random order.
        num_epochs: How often each file is read; None for no end.
        common_queue_capacity: How many examples wait at most.
        common_queue_min: How many there are at least when one is drawn.
        record_key: The name of the item that is the key of an example.
        seed: Of the random order.
        scope: The name scope, by default `parallel_read`.

    Raises:
        ValueError: There is an item of the name of the key.
    """

    def __init__(
        self, dataset: Any, num_readers: int = 1, reader_kwargs: Optional[Dict[str, Any]] = None,
        shuffle: bool = True, num_epochs: Optional[int] = None, common_queue_capacity: int = 256,
        common_queue_min: int = 128, record_key: str = "record_key", seed: Optional[int] = None,
        scope: Optional[str] = None,
    ) -> None:  # fmt: skip
        key, data = parallel_read(
            dataset.data_sources, dataset.reader, num_epochs, num_readers, reader_kwargs, shuffle,
            capacity=common_queue_capacity, min_after_dequeue=common_queue_min, seed=seed,
            scope=scope,
        )  # fmt: skip
        items = dataset.decoder.list_items()
        tensors = dict(zip(items, dataset.decoder.decode(data, items)))
        if record_key in tensors:
            raise ValueError(
                "The item name used for `record_key` cannot also be used for a dataset item: "
                f"{record_key}"
            )
        super().__init__({**tensors, record_key: key}, dataset.num_samples)


@set_module("troupe.contrib.slim.parallel_reader")
class ParallelReader(ReaderBase):
    """Several readers, whose records are in one queue.

    Args:
        reader_class: The class of the readers.
        common_queue: The queue, of two strings.
        num_readers: How many there are.
        reader_kwargs: The arguments of each one.

    Raises:
        TypeError: The queue has other dtypes.
    """

    def __init__(
        self, reader_class: Any, common_queue: Any, num_readers: int = 4,
        reader_kwargs: Optional[Dict[str, Any]] = None,
    ) -> None:  # fmt: skip
        if list(common_queue.dtypes) != [_dtypes.string] * 2:
            raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """How many readers there are."""
        return len(self._readers)

    @property
    def common_queue(self) -> Any:
        """The queue of their records."""
        return self._common_queue

    def read(self, queue: Any, name: Optional[str] = None) -> Any:
        """A record, and its key; the readers read by a queue runner.

        Args:
            queue: A queue of names of files.

        Returns:
            The key and the record.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: Optional[str] = None) -> Any:
        """Several records, and their keys.

        Args:
            queue: A queue of names of files.
            num_records: How many, less at the end.

        Returns:
            The keys and the records.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _fill_from(self, queue: Any) -> None:
        steps = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(QueueRunner(self._common_queue, steps))

    def num_records_produced(self, name: Optional[str] = None) -> Tensor:
        """How many records were read."""
        return add_n([each.num_records_produced() for each in self._readers], name=name)

    def num_work_units_completed(self, name: Optional[str] = None) -> Tensor:
        """How many files were read to their end."""
        counts = [each.num_work_units_completed() for each in self._readers]
        return add_n(counts, name=name)


def parallel_read(
    data_sources: Sources, reader_class: Any, num_epochs: Optional[int] = None,
    num_readers: int = 4, reader_kwargs: Optional[Dict[str, Any]] = None, shuffle: bool = True,
    dtypes: Any = None, capacity: int = 256, min_after_dequeue: int = 128,
    seed: Optional[int] = None, scope: Optional[str] = None,
) -> Any:  # fmt: skip
    """A record of files, and its key, read by queue runners.

    Args:
        data_sources: The files, or patterns of their names.
        reader_class: The class of the readers.
        num_epochs: How often each file is read; None for no end.
        num_readers: How many readers there are.
        reader_kwargs: The arguments of each one.
        shuffle: Whether files and records come in a random order.
        dtypes: Those of the key and the record; None for strings.
        capacity: How many records wait at most.
        min_after_dequeue: How many there are at least when one is drawn.
        seed: Of the random order.
        scope: The name scope, by default `parallel_read`.

    Returns:
        The key and the record.
    """
    files = get_data_files(data_sources)
    with get_default_graph().name_scope(scope or "parallel_read"):
        names = string_input_producer(
            files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames"
        )
        kinds = dtypes or [_dtypes.string, _dtypes.string]
        queue: Any
        if shuffle:
            queue = RandomShuffleQueue(
                capacity, min_after_dequeue, kinds, seed=seed, name="common_queue"
            )
        else:
            queue = FIFOQueue(capacity, kinds, name="common_queue")
        _summarize_size(queue, capacity)
        return ParallelReader(reader_class, queue, num_readers, reader_kwargs).read(names)


def _summarize_size(queue: Any, capacity: int) -> None:
    size = math_ops.cast(queue.size(), _dtypes.float32)
    summary_ops.scalar(f"fraction_of_{capacity}_full", size * (1.0 / capacity))


def single_pass_read(
    data_sources: Sources, reader_class: Any, reader_kwargs: Optional[Dict[str, Any]] = None,
    scope: Optional[str] = None,
) -> Any:  # fmt: skip
    """A record of files that are read once, in their order.

    Args:
        data_sources: The files, or patterns of their names.
        reader_class: The class of the reader.
        reader_kwargs: Its arguments.
        scope: The name scope, by default `single_pass_read`.

    Returns:
        The key and the record.
    """
    files = get_data_files(data_sources)
    with get_default_graph().name_scope(scope or "single_pass_read"):
        names = string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**(reader_kwargs or {})).read(names)


def get_data_files(data_sources: Sources) -> List[str]:
    """The names of files.

    Args:
        data_sources: A name, a pattern with "*", "?" or "[", or a list of both.

    Returns:
        The names that the file system has for patterns, and all others.

    Raises:
        ValueError: There are none.
    """
    found: List[str] = []
    if isinstance(data_sources, (list, tuple)):
        for source in data_sources:
            found += get_data_files(source)
    elif any(mark in data_sources for mark in "*?["):
        found = list(gfile.Glob(data_sources))
    else:
        found = [str(data_sources)]
    if not found:
        raise ValueError(f"No data files found in {data_sources}")
    return found


def prefetch_queue(
    tensors: Any, capacity: int = 8, num_threads: int = 1, dynamic_pad: bool = False,
    shared_name: Optional[str] = None, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """A queue of batches, which a queue runner fills.

    Args:
        tensors: The tensors of a batch, a list or a dictionary.
        capacity: How many batches wait at most.
        num_threads: How many steps fill it at once.
        dynamic_pad: Whether batches of other sizes are filled up, where sizes are not known.
        shared_name: The name by which sessions share it.

    Returns:
        The queue, whose elements are such lists or dictionaries.
    """
    names = sorted(tensors) if isinstance(tensors, dict) else None
    values = list(tensors) if names is None else [tensors[each] for each in names]
    kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    with get_default_graph().name_scope(name or "prefetch_queue"):
        queue = kind(
            capacity=capacity,
            dtypes=[each.dtype for each in values],
            shapes=[each.get_shape() for each in values],
            names=names,
            shared_name=shared_name,
        )
        add_queue_runner(QueueRunner(queue, [queue.enqueue(tensors)] * num_threads))
        _summarize_size(queue, capacity)
        return queue
