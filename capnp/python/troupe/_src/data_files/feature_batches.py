"""Batches of the features of serialized examples."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.data.dataset import Dataset
from troupe._src.data.files import TFRecordDataset
from troupe._src.data_files.arrangement import prefetched, records_of, shuffled_and_repeated
from troupe._src.io.reader_ops import ReaderBase
from troupe._src.parsing.example_ops import parse_example
from troupe._src.types import dtypes


def parse_example_dataset(
    features: Dict[str, Any], num_parallel_calls: int = 1
) -> Callable[[Dataset], Dataset]:
    """Parses vectors of serialized examples.

    Args:
        features: The features by their keys, as `tf.io.parse_example` takes them.
        num_parallel_calls: How many vectors are parsed at once.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        ValueError: There are no features.
    """
    if features is None:
        raise ValueError("Missing: features was None.")

    def parse(serialized: Any) -> Any:
        return parse_example(serialized, features)

    return lambda dataset: dataset.map(parse, num_parallel_calls)


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Dict[str, Any],
    reader: Callable[..., Dataset] = TFRecordDataset,
    label_key: Optional[str] = None,
    reader_args: Optional[Sequence[Any]] = None,
    num_epochs: Optional[int] = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Optional[int] = None,
    prefetch_buffer_size: Optional[int] = None,
    reader_num_threads: Optional[int] = None,
    parser_num_threads: Optional[int] = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of the features of serialized examples in files, as dicts.

    Args:
        file_pattern: A pattern of names of files, or a list of them.
        batch_size: How many examples a batch has.
        features: The features by their keys, as `tf.io.parse_example` takes them.
        reader: Makes a dataset of serialized examples, or of pairs of a key and one, from the name
            of a file.
        label_key: The feature that is given apart from the dict.
        reader_args: Further arguments of the reader.
        num_epochs: How often the examples are given; None for no end.
        shuffle: Whether their order is random.
        shuffle_buffer_size: Among how many of the next examples each one is drawn.
        shuffle_seed: Of the order.
        prefetch_buffer_size: How many batches are made ahead, by default as the runtime chooses.
        reader_num_threads: How many files take turns, by default one.
        parser_num_threads: How many batches are parsed at once, by default two.
        sloppy_ordering: Has no effect: files take turns in order.
        drop_final_batch: Leaves out the last batch where it has fewer.

    Returns:
        A dataset of dicts, or of pairs of a dict and the label.

    Raises:
        TypeError: The reader is one of queues.
        ValueError: The label is none of the features.
    """
    if isinstance(reader, type) and issubclass(reader, ReaderBase):
        raise TypeError(
            "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are "
            "not supported. For example, pass `tf.data.TFRecordDataset` instead of "
            "`tf.TFRecordReader`."
        )
    if label_key and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key!r}) must be one of the `features` keys."
        )
    read: Any = reader
    arguments = list(reader_args or ())
    files = Dataset.list_files(file_pattern, shuffle, shuffle_seed)
    dataset = records_of(files, lambda name: read(name, *arguments), reader_num_threads)
    if dataset.output_types == (dtypes.string, dtypes.string):
        dataset = dataset.map(lambda _, value: value)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    threads = 2 if parser_num_threads is None else parser_num_threads
    dataset = parse_example_dataset(features, threads)(dataset)
    if label_key:
        dataset = dataset.map(lambda found: (found, found.pop(label_key)))
    return prefetched(dataset, prefetch_buffer_size)
