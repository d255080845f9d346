"""The images of digits of MNIST, from files of this machine."""

from __future__ import annotations

import gzip
import os
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

from troupe._src.graph.random_seed import get_seed
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype

_FILES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
_MAGIC = {3: 2051, 1: 2049}  # by the number of axes
_CLASSES = 10


class Datasets(NamedTuple):
    """The parts of a set of data."""

    train: DataSet
    validation: DataSet
    test: DataSet


@set_module("troupe.examples.tutorials.mnist.input_data")
class DataSet:
    """Images with labels, in batches of epochs.

    Args:
        images: An array, [count, height, width, channels], of uint8.
        labels: An array of `count` labels, or of rows with a one each.
        fake_data: Makes 10,000 examples that are all alike; the arrays are not used.
        one_hot: Labels of fake data are rows with a one.
        dtype: float32, for images with values in [0, 1], or uint8, for those in [0, 255].
        reshape: Each image is a row of pixels; it must have one channel.
        seed: Of the order; by default the one of the graph.

    Raises:
        TypeError: The dtype is another one.
        ValueError: The arrays have other lengths, or images to reshape have several channels.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: DTypeLike = dtypes.float32,
        reshape: bool = True,
        seed: Optional[int] = None,
    ) -> None:
        graph_seed, own_seed = get_seed(seed)
        self._random = np.random.RandomState(graph_seed if seed is None else own_seed)
        kind = as_dtype(dtype)
        if kind not in (dtypes.uint8, dtypes.float32):
            raise TypeError(f"Invalid image dtype {kind!r}, expected uint8 or float32")
        self.one_hot = one_hot
        self._count = 10000
        if not fake_data:
            if len(images) != len(labels):
                raise ValueError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
            self._count = len(images)
            if reshape:
                if images.shape[3] != 1:
                    raise ValueError(f"images of one channel are flattened, not {images.shape}")
                images = images.reshape(self._count, images.shape[1] * images.shape[2])
            if kind == dtypes.float32:
                images = images.astype(np.float32) * np.float32(1.0 / 255.0)
        self._images, self._labels = images, labels
        self._epochs, self._index = 0, 0

    @property
    def images(self) -> Any:
        """All images, in the order of the present epoch: [count, pixels], or [count, height, width,
        1].
        """
        return self._images

    @property
    def labels(self) -> Any:
        """All labels, in the order of the images."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """The number of examples."""
        return self._count

    @property
    def epochs_completed(self) -> int:
        """How many epochs were given whole."""
        return self._epochs

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> Tuple[Any, Any]:
        """The next images and labels; after the last ones, those of a new epoch.

        Args:
            batch_size: How many examples.
            fake_data: Gives examples that are all alike.
            shuffle: Each epoch has another order.

        Returns:
            (images, labels), with `batch_size` rows each.
        """
        if fake_data:
            label: Any = [1] + [0] * (_CLASSES - 1) if self.one_hot else 0
            return [[1] * 784] * batch_size, [label] * batch_size
        start = self._index
        if self._epochs == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self._count:
            self._index += batch_size
            return self._images[start : self._index], self._labels[start : self._index]
        self._epochs += 1
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index = batch_size - (self._count - start)
        return (
            np.concatenate([images, self._images[: self._index]]),
            np.concatenate([labels, self._labels[: self._index]]),
        )

    def _shuffle(self) -> None:
        order = self._random.permutation(self._count)
        self._images, self._labels = self._images[order], self._labels[order]


def _read(folder: str, name: str, axes: int) -> Any:
    """The array of a file in the IDX format, compressed or not."""
    path = os.path.join(folder, name)
    found = [each for each in (f"{path}.gz", path) if os.path.exists(each)]
    if not found:
        raise FileNotFoundError(
            f"there is no {path}.gz or {path}: put the four files of MNIST, "
            f"{', '.join(name for pair in _FILES.values() for name in pair)}, with or without .gz, "
            f"into {os.path.abspath(folder)}; they are not downloaded"
        )
    opened: Any = gzip.open(found[0]) if found[0].endswith(".gz") else open(found[0], "rb")
    with opened as stream:
        content = stream.read()
    header = np.frombuffer(content[: 4 * (axes + 1)], ">u4").tolist()
    if len(header) != axes + 1 or header[0] != _MAGIC[axes]:
        kind = "image" if axes == 3 else "label"
        magic = header[0] if header else None
        raise ValueError(f"Invalid magic number {magic} in MNIST {kind} file: {found[0]}")
    values = np.frombuffer(content, np.uint8, offset=4 * (axes + 1))
    if values.size != np.prod(header[1:], dtype=np.int64):
        raise ValueError(f"{found[0]} has {values.size} values, not those of shape {header[1:]}")
    return values.reshape(header[1:])


def _read_pair(folder: str, kind: str, one_hot: bool) -> Tuple[Any, Any]:
    images, labels = (_read(folder, name, axes) for name, axes in zip(_FILES[kind], (3, 1)))
    if one_hot:
        labels = np.eye(_CLASSES)[labels]
    return images[..., np.newaxis], labels


def read_data_sets(
    train_dir: str, fake_data: bool = False, one_hot: bool = False,
    dtype: DTypeLike = dtypes.float32, reshape: bool = True, validation_size: int = 5000,
    seed: Optional[int] = None, source_url: Optional[str] = None,
) -> Datasets:  # fmt: skip
    """The sets of MNIST, whose four files are in a folder of this machine.

    Args:
        train_dir: The folder.
        fake_data: Makes sets without files.
        one_hot: Labels are rows with a one.
        dtype: float32, for values in [0, 1], or uint8.
        reshape: Each image is a row.
        validation_size: How many images of the training are those of validation.
        seed: Of the order; by default the one of the graph.
        source_url: Not used, as nothing is downloaded.

    Returns:
        The sets `train`, `validation` and `test`.

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: A file has another form, or there are fewer images than those of validation.
    """
    options: Dict[str, Any] = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        fake = [DataSet([], [], True, one_hot, dtype, seed=seed) for _ in range(3)]
        return Datasets(*fake)
    images, labels = _read_pair(train_dir, "train", one_hot)
    tests = _read_pair(train_dir, "test", one_hot)
    if not 0 <= validation_size <= len(images):
        raise ValueError(
            f"Validation size should be between 0 and {len(images)}. Received: {validation_size}."
        )
    return Datasets(
        DataSet(images[validation_size:], labels[validation_size:], **options),
        DataSet(images[:validation_size], labels[:validation_size], **options),
        DataSet(*tests, **options),
    )
