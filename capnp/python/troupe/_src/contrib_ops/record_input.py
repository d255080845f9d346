"""Records of files in random order, batch by batch: `RecordInput`."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.data.files import TFRecordDataset
from troupe._src.data.dataset import Dataset
from troupe._src.graph.scopes import name_scope
from troupe._src.io.tf_record import TFRecordCompressionType, TFRecordOptions
from troupe._src.ops import array_ops
from troupe._src.set_module import set_module


@set_module("troupe.contrib.framework")
class RecordInput:
    """Records of TFRecord files, again and again, in another order each time.

    Args:
        file_pattern: The pattern of the names of files.
        batch_size: The number of records of a batch.
        buffer_size: Among how many records the next one is chosen.
        parallelism: How many files are read at once.
        shift_ratio: Without effect: each epoch reads the files in another order.
        seed: Makes the order repeatable; 0 for another one each time.
        name: Of the nodes.
        batches: How many batches there are at a time; None for one.
        compression_type: One of `TFRecordCompressionType`.

    Raises:
        ValueError: A number is not positive.
    """

    def __init__(
        self,
        file_pattern: str,
        batch_size: int = 1,
        buffer_size: int = 1,
        parallelism: int = 1,
        shift_ratio: float = 0,
        seed: int = 0,
        name: Optional[str] = None,
        batches: Optional[int] = None,
        compression_type: Any = None,
    ) -> None:
        del shift_ratio
        if batch_size <= 0 or buffer_size <= 0 or parallelism <= 0:
            raise ValueError("batch_size, buffer_size and parallelism must be positive")
        self._file_pattern = file_pattern
        self._n_records = batch_size * (batches or 1)
        self._buffer_size, self._parallelism = buffer_size, parallelism
        self._seed, self._name, self._batches = seed or None, name, batches
        self._compression_type = TFRecordOptions.get_compression_type_string(
            TFRecordOptions(compression_type or TFRecordCompressionType.NONE)
        )

    def get_yield_op(self) -> Any:
        """The next batch.

        Returns:
            A vector of strings; or for each of several batches a list of scalar strings.
        """
        with name_scope(self._name, "RecordInput"):
            files = Dataset.list_files(self._file_pattern, shuffle=True, seed=self._seed)
            records = files.repeat().interleave(
                lambda file: TFRecordDataset(file, compression_type=self._compression_type),
                cycle_length=self._parallelism, block_length=1,
            )  # fmt: skip
            shuffled = records.shuffle(self._buffer_size, seed=self._seed)
            batch = shuffled.batch(self._n_records, drop_remainder=True)
            texts = batch.make_one_shot_iterator().get_next()
            texts.set_shape([self._n_records])
            if self._batches is None:
                return texts
            single = array_ops.unstack(texts)
            return [single[number :: self._batches] for number in range(self._batches)]
