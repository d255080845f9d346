"""The class `Dataset`."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.data import nest
from troupe._src.data.batching import batch_shape, padding_of
from troupe._src.data.components import Components, components_of, convert_components
from troupe._src.data.dataset_base import DatasetBase
from troupe._src.data.generator import generator_dataset
from troupe._src.data.mapping import (
    AUTOTUNE,
    filter_elements,
    flat_map_elements,
    interleave_elements,
    map_elements,
    reduce_elements,
)
from troupe._src.data.matching import matching_files
from troupe._src.graph.elements import Tensor
from troupe._src.graph.random_seed import get_seed
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


def _int64(value: Any, name: str) -> Tensor:
    return convert_to_tensor(value, dtypes.int64, name=name)


@set_module("troupe.data")
class Dataset(DatasetBase):
    """Elements of one structure, which an iterator gives one after the other.

    An element is a tensor, or a tuple or dict of components, nested at will.
    """

    def __init__(self) -> None:
        raise TypeError("Dataset is made by its functions, such as Dataset.from_tensor_slices().")

    # Sources.

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """A dataset of one element."""
        values = convert_components(tensors)
        components = components_of(values)
        variant = raw_ops.TensorDataset(
            components=nest.flatten(values), output_shapes=components.flat_shapes()
        )
        return Dataset._make(variant, components)

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """The slices of the components along axis 0, of which all must have as many."""
        values = convert_components(tensors)
        size: Optional[int] = None
        for value in nest.flatten(values):
            if value.shape.rank == 0:
                raise ValueError("All components must have rank at least 1.")
            first = None if value.shape.rank is None else value.shape.as_list()[0]
            if None not in (size, first) and size != first:
                raise ValueError(f"Dimensions {size} and {first} are not compatible")
            size = first if first is not None else size
        types = nest.map_structure(lambda value: value.dtype, values)
        components = Components(types, nest.map_structure(lambda v: v.shape[1:], values))
        variant = raw_ops.TensorSliceDataset(
            components=nest.flatten(values), output_shapes=components.flat_shapes()
        )
        return Dataset._make(variant, components)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any,
        output_shapes: Any = None,
        args: Any = None,
    ) -> Dataset:
        """The elements that `generator()` yields, anew in each iteration.

        It runs in this program, as `tf.py_func` does.
        """
        return Dataset._make(*generator_dataset(generator, output_types, output_shapes, args))

    @staticmethod
    def range(*args: Any) -> Dataset:
        """The numbers `range(*args)` as int64."""
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid args: {args}")
        start, stop = (0, args[0]) if len(args) == 1 else args[:2]
        components = Components(dtypes.int64, TensorShape([]))
        variant = raw_ops.RangeDataset(
            start=_int64(start, "start"),
            stop=_int64(stop, "stop"),
            step=_int64(args[2] if len(args) == 3 else 1, "step"),
            **components.attrs(),
        )
        return Dataset._make(variant, components)

    @staticmethod
    def zip(datasets: Any) -> Dataset:
        """Elements of the datasets, in the structure in which they are given, side by side."""
        flat = nest.flatten(datasets)
        for dataset in flat:
            if isinstance(dataset, list):
                raise TypeError(
                    "The argument to `Dataset.zip()` must be a nested structure of `Dataset` "
                    "objects. Nested structures do not support Python lists; please use a tuple "
                    "instead."
                )
            if not isinstance(dataset, Dataset):
                raise TypeError(
                    "The argument to `Dataset.zip()` must be a nested structure of `Dataset` "
                    "objects."
                )
        components = Components(
            nest.pack_as(datasets, [dataset._types for dataset in flat]),
            nest.pack_as(datasets, [dataset._shapes for dataset in flat]),
        )
        variant = raw_ops.ZipDataset(
            input_datasets=[dataset._variant_tensor for dataset in flat], **components.attrs()
        )
        return Dataset._make(variant, components)

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: Optional[bool] = None, seed: Optional[int] = None
    ) -> Dataset:
        """The names of the files that match a pattern, shuffled unless `shuffle` is false."""
        names, count = matching_files(file_pattern)
        dataset = Dataset.from_tensor_slices(names)
        return dataset if shuffle is False else dataset.shuffle(count, seed=seed)

    # Arrangements.

    def _same(self, op: Callable[..., Any], **inputs: Any) -> Dataset:
        """The dataset of an op that leaves the structure of elements as it is."""
        variant = op(input_dataset=self._variant_tensor, **inputs, **self._flat_structure)
        return Dataset._make(variant, self._components)

    def concatenate(self, dataset: Dataset) -> Dataset:
        """The elements of this dataset, then those of the other one."""
        if self._types != dataset._types:
            raise TypeError(
                f"Two datasets to concatenate have different types {self._types} and "
                f"{dataset._types}"
            )
        shapes = nest.map_structure(_most_specific, self._shapes, dataset._shapes)
        components = Components(self._types, shapes)
        variant = raw_ops.ConcatenateDataset(
            input_dataset=self._variant_tensor,
            another_dataset=dataset._variant_tensor,
            **components.attrs(),
        )
        return Dataset._make(variant, components)

    def repeat(self, count: Any = None) -> Dataset:
        """The elements `count` times, or without end where it is None or -1."""
        return self._same(raw_ops.RepeatDataset, count=_int64(_or(count, -1), "count"))

    def take(self, count: Any) -> Dataset:
        """At most the first `count` elements; all where it is -1."""
        return self._same(raw_ops.TakeDataset, count=_int64(count, "count"))

    def skip(self, count: Any) -> Dataset:
        """All but the first `count` elements; none where it is -1."""
        return self._same(raw_ops.SkipDataset, count=_int64(count, "count"))

    def shard(self, num_shards: Any, index: Any) -> Dataset:
        """Every `num_shards`-th element, from `index` on."""
        return self._same(
            raw_ops.ShardDataset,
            num_shards=_int64(num_shards, "num_shards"),
            index=_int64(index, "index"),
        )

    def shuffle(
        self,
        buffer_size: Any,
        seed: Optional[int] = None,
        reshuffle_each_iteration: Optional[bool] = None,
    ) -> Dataset:
        """The elements in random order: each is drawn from the next `buffer_size` of them."""
        first, second = get_seed(seed)
        return self._same(
            raw_ops.ShuffleDataset,
            buffer_size=_int64(buffer_size, "buffer_size"),
            seed=_int64(first, "seed"),
            seed2=_int64(second, "seed2"),
            reshuffle_each_iteration=reshuffle_each_iteration is not False,
        )

    def prefetch(self, buffer_size: Any) -> Dataset:
        """The elements, of which so many are computed before they are asked for."""
        return self._same(
            raw_ops.PrefetchDataset, buffer_size=_int64(_or(buffer_size, -1), "buffer_size")
        )

    def cache(self, filename: Any = "") -> Dataset:
        """The elements, kept in memory in the first iteration. Files are not supported."""
        return self._same(raw_ops.CacheDataset, filename=convert_to_tensor(filename, dtypes.string))

    def batch(self, batch_size: Any, drop_remainder: Any = False) -> Dataset:
        """Elements with one more axis, of `batch_size` elements; the last may have fewer."""
        size = _int64(batch_size, "batch_size")
        drops = convert_to_tensor(drop_remainder, dtypes.bool_)
        rows = batch_shape(size, drops)
        components = Components(
            self._types, nest.map_structure(lambda shape: rows.concatenate(shape), self._shapes)
        )
        variant = raw_ops.BatchDatasetV2(
            input_dataset=self._variant_tensor,
            batch_size=size,
            drop_remainder=drops,
            **components.attrs(),
        )
        return Dataset._make(variant, components)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any,
        padding_values: Any = None,
        drop_remainder: Any = False,
    ) -> Dataset:
        """As `batch`, of components that are padded: None and -1 are the largest size there is."""
        size = _int64(batch_size, "batch_size")
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
        return Dataset._make(variant, components)

    def enumerate(self, start: Any = 0) -> Dataset:
        """Pairs of a number, from `start` on, and an element."""
        numbers = Dataset.range(start, dtypes.int64.max)
        return Dataset.zip((numbers, self))

    # Functions of elements.

    def map(self, map_func: Callable[..., Any], num_parallel_calls: Any = None) -> Dataset:
        """What the function makes of each element; a tuple is given as several arguments."""
        return Dataset._make(*map_elements(self, map_func, num_parallel_calls))

    map_with_legacy_function = map

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements for which the function returns true."""
        return Dataset._make(*filter_elements(self, predicate))

    filter_with_legacy_function = filter

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """The elements of the datasets that the function makes, one dataset after the other."""
        return Dataset._make(*flat_map_elements(self, map_func))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = AUTOTUNE,
        block_length: Any = 1,
        num_parallel_calls: Any = None,
    ) -> Dataset:
        """As `flat_map`, of `cycle_length` datasets in turns: `block_length` elements of each."""
        cycle = (cycle_length, block_length)
        return Dataset._make(*interleave_elements(self, map_func, cycle, num_parallel_calls))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The state after `reduce_func(state, element)` has been called with each element."""
        return reduce_elements(self, initial_state, reduce_func)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """`transformation_func(self)`."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"`transformation_func` must return a Dataset. Got type {type(dataset)}."
            )
        return dataset

    def unbatch(self) -> Dataset:
        """The slices of each element along axis 0."""
        return self.flat_map(
            lambda *parts: Dataset.from_tensor_slices(parts[0] if len(parts) == 1 else parts)
        )


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def _most_specific(one: TensorShape, other: TensorShape) -> TensorShape:
    """What is known of tensors of either shape."""
    if one.rank is None or one.rank != other.rank:
        return TensorShape(None)
    sizes = zip(one.as_list(), other.as_list())
    return TensorShape([size if size == mine else None for size, mine in sizes])
