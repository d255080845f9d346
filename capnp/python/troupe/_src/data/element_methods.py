"""The methods of datasets that choose, order and batch elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional

from troupe._src.data import nest
from troupe._src.data.batching import batch_shape, padding_of
from troupe._src.data.components import Components, check_can_be_stacked, stacked
from troupe._src.data.dataset_base import DatasetBase
from troupe._src.data.options import Options
from troupe._src.data.specs import DatasetSpec, structure_of
from troupe._src.graph.elements import Tensor
from troupe._src.graph.random_seed import get_seed
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes

if TYPE_CHECKING:
    from troupe._src.data.dataset import Dataset


def int64(value: Any, name: str) -> Tensor:
    return convert_to_tensor(value, dtypes.int64, name=name)


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


class ElementMethods(DatasetBase):
    """What needs no function of the program."""

    _options: Optional[Options] = None

    def _dataset(self, variant: Tensor, components: Components) -> Dataset:
        """The dataset of an op; `Dataset` implements it."""
        raise NotImplementedError

    def _same(self, op: Callable[..., Any], **inputs: Any) -> Dataset:
        """The dataset of an op that leaves the structure of elements as it is."""
        variant = op(input_dataset=self._variant_tensor, **inputs, **self._flat_structure)
        return self._dataset(variant, self._components)

    def with_options(self, options: Options) -> Dataset:
        """The same elements, with options, which datasets made of this one have, too.

        With `experimental_deterministic` False, elements that are computed beside each other come
        as soon as each is there, from the beginning of the dataset on.

        Args:
            options: The options, which are merged with those that the dataset has.

        Returns:
            The dataset.

        Raises:
            ValueError: The dataset has another value for one of them.
        """
        dataset = self._dataset(self._variant_tensor, self._components)
        dataset._options = self.options().merge(options)
        return dataset

    def _optimized(self) -> Tensor:
        """The tensor of the dataset for who iterates over it, as the options say."""
        if self.options().experimental_deterministic is not False:
            return self._variant_tensor
        names = convert_to_tensor(["make_sloppy"], dtypes.string)
        variant: Tensor = raw_ops.OptimizeDataset(
            input_dataset=self._variant_tensor, optimizations=names, **self._flat_structure
        )
        return variant

    def options(self) -> Options:
        """The options of `with_options`, also those of the datasets that it is made of."""
        return Options() if self._options is None else self._options

    def repeat(self, count: Optional[TensorLike] = None) -> Dataset:
        """The elements again and again.

        Args:
            count: How often, an int64 scalar; None and -1 for no end.

        Returns:
            The dataset.
        """
        return self._same(raw_ops.RepeatDataset, count=int64(_or(count, -1), "count"))

    def take(self, count: TensorLike) -> Dataset:
        """The first elements.

        Args:
            count: At most how many, an int64 scalar; -1 for all.

        Returns:
            The dataset.
        """
        return self._same(raw_ops.TakeDataset, count=int64(count, "count"))

    def skip(self, count: TensorLike) -> Dataset:
        """The elements after the first ones.

        Args:
            count: How many are left out, an int64 scalar; -1 for all.

        Returns:
            The dataset.
        """
        return self._same(raw_ops.SkipDataset, count=int64(count, "count"))

    def shard(self, num_shards: TensorLike, index: TensorLike) -> Dataset:
        """Every `num_shards`-th element.

        Args:
            num_shards: The distance of the elements, an int64 scalar.
            index: Which one is the first, an int64 scalar less than `num_shards`.

        Returns:
            The dataset.
        """
        return self._same(
            raw_ops.ShardDataset,
            num_shards=int64(num_shards, "num_shards"),
            index=int64(index, "index"),
        )

    def shuffle(
        self,
        buffer_size: TensorLike,
        seed: Optional[int] = None,
        reshuffle_each_iteration: Optional[bool] = None,
    ) -> Dataset:
        """The elements in random order.

        Args:
            buffer_size: Among how many of the next elements each one is drawn, an int64 scalar.
            seed: Of the order; by default that of the graph.
            reshuffle_each_iteration: Repetitions have orders of their own, unless it is False.

        Returns:
            The dataset.
        """
        first, second = get_seed(seed)
        return self._same(
            raw_ops.ShuffleDataset,
            buffer_size=int64(buffer_size, "buffer_size"),
            seed=int64(first, "seed"),
            seed2=int64(second, "seed2"),
            reshuffle_each_iteration=reshuffle_each_iteration is not False,
        )

    def prefetch(self, buffer_size: Optional[TensorLike]) -> Dataset:
        """The elements, some of which are computed before they are asked for.

        Args:
            buffer_size: How many, an int64 scalar; None and -1 let the runtime choose.

        Returns:
            The dataset.
        """
        return self._same(
            raw_ops.PrefetchDataset, buffer_size=int64(_or(buffer_size, -1), "buffer_size")
        )

    def cache(self, filename: TensorLike = "") -> Dataset:
        """The elements, kept in memory or in a file in the first iteration.

        Args:
            filename: The file, which keeps them for later programs, too, once an iteration has come
                to its end; "" for memory.

        Returns:
            The dataset.
        """
        return self._same(raw_ops.CacheDataset, filename=convert_to_tensor(filename, dtypes.string))

    def window(
        self,
        size: TensorLike,
        shift: Optional[TensorLike] = None,
        stride: TensorLike = 1,
        drop_remainder: TensorLike = False,
    ) -> Dataset:
        """Datasets of elements that follow each other: for each component one.

        Args:
            size: How many elements a window has, an int64 scalar.
            shift: How many elements a window begins behind the one before, an int64 scalar; by
                default `size`.
            stride: The distance of the elements of a window, an int64 scalar.
            drop_remainder: Leaves out the windows at the end that have fewer elements; a bool
                scalar.

        Returns:
            A dataset whose elements have a dataset in the place of each component.
        """
        windows = nest.map_structure(DatasetSpec, structure_of(self._components))
        components = Components(windows, windows)
        variant = raw_ops.WindowDataset(
            input_dataset=self._variant_tensor,
            size=int64(size, "size"),
            shift=int64(_or(shift, size), "shift"),
            stride=int64(stride, "stride"),
            drop_remainder=convert_to_tensor(drop_remainder, dtypes.bool_),
            **components.attrs(),
        )
        return self._dataset(variant, components)

    def batch(self, batch_size: TensorLike, drop_remainder: TensorLike = False) -> Dataset:
        """Batches of the elements, with one more axis at the front.

        Args:
            batch_size: How many elements a batch has, an int64 scalar.
            drop_remainder: Leaves out the last batch where it has fewer; a bool scalar.

        Returns:
            The dataset.

        Raises:
            TypeError: A component is a dataset or an optional value.
        """
        check_can_be_stacked(self._types, TypeError, "Batching of elements")
        size = int64(batch_size, "batch_size")
        drops = convert_to_tensor(drop_remainder, dtypes.bool_)
        rows = batch_shape(size, drops)
        components = Components(
            stacked(self._types),
            nest.map_structure(lambda shape: rows.concatenate(shape), self._shapes),
        )
        variant = raw_ops.BatchDatasetV2(
            input_dataset=self._variant_tensor,
            batch_size=size,
            drop_remainder=drops,
            **components.attrs(),
        )
        return self._dataset(variant, components)

    def padded_batch(
        self,
        batch_size: TensorLike,
        padded_shapes: Any,
        padding_values: Any = None,
        drop_remainder: TensorLike = False,
    ) -> Dataset:
        """As `batch`, of components that are padded to one shape.

        Args:
            batch_size: How many elements a batch has, an int64 scalar.
            padded_shapes: The shapes, in the structure of an element; None and -1 in them stand for
                the largest size in the batch.
            padding_values: Scalars to pad with, in the same structure; by default 0 and "".
            drop_remainder: Leaves out the last batch where it has fewer; a bool scalar.

        Returns:
            The dataset.

        Raises:
            ValueError: A shape does not fit its component.
            TypeError: A padding value is of another dtype than its component.
        """
        size = int64(batch_size, "batch_size")
        drops = convert_to_tensor(drop_remainder, dtypes.bool_)
        shapes, values, padded = padding_of(self._components, padded_shapes, padding_values)
        rows = batch_shape(size, drops)
        components = Components(
            self._types, nest.pack_as(self._types, [rows.concatenate(shape) for shape in padded])
        )
        variant = raw_ops.PaddedBatchDatasetV2(
            input_dataset=self._variant_tensor,
            batch_size=size,
            padded_shapes=shapes,
            padding_values=values,
            drop_remainder=drops,
            output_shapes=components.flat_shapes(),
        )
        return self._dataset(variant, components)
