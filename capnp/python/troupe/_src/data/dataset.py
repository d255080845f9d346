"""The class `Dataset`."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from troupe._src.data import nest
from troupe._src.data.components import (
    Components,
    check_can_be_stacked,
    stacked,
    components_of,
    convert_components,
    flat_tensors,
    most_specific,
)
from troupe._src.data.element_methods import ElementMethods, int64
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
from troupe._src.data.specs import DatasetSpec
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


@set_module("troupe.data")
class Dataset(ElementMethods):
    """Elements of one structure, which an iterator gives one after the other.

    An element is a tensor, or a tuple or dict of components, nested at will. A component may be a
    SparseTensor, a dataset, or an optional value.
    """

    def __init__(self) -> None:
        raise TypeError("Dataset is made by its functions, such as Dataset.from_tensor_slices().")

    def _dataset(self, variant: Tensor, components: Components) -> Dataset:
        dataset = Dataset._make(variant, components)
        dataset._options = self._options
        return dataset

    @staticmethod
    def _of_all(datasets: Sequence[Dataset], variant: Tensor, components: Components) -> Dataset:
        """A dataset that is made of others, with the options of all."""
        dataset = Dataset._make(variant, components)
        for each in datasets:
            if each._options is not None:
                dataset._options = dataset.options().merge(each._options)
        return dataset

    # Sources.

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """A dataset of one element.

        Args:
            tensors: Nested tensors or arrays.

        Returns:
            The dataset; its element has that structure.
        """
        values = convert_components(tensors)
        components = components_of(values)
        variant = raw_ops.TensorDataset(
            components=flat_tensors(values), output_shapes=components.flat_shapes()
        )
        return Dataset._make(variant, components)

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """The slices along axis 0.

        Args:
            tensors: Nested tensors or arrays of rank 1 or more, with the same first size.

        Returns:
            A dataset whose elements have that structure and one axis less.

        Raises:
            ValueError: A component has no axis, or is a dataset, or the first sizes differ.
        """
        values = convert_components(tensors)
        types = components_of(values).types
        check_can_be_stacked(types, ValueError, "Slicing of elements")
        size: Optional[int] = None
        for value in nest.flatten(values):
            if value.shape.rank == 0:
                raise ValueError("All components must have rank at least 1.")
            first = None if value.shape.rank is None else value.shape.as_list()[0]
            if None not in (size, first) and size != first:
                raise ValueError(f"Dimensions {size} and {first} are not compatible")
            size = first if first is not None else size
        shapes = nest.map_structure(lambda v: v.shape[1:], values)
        components = Components(stacked(types, -1), shapes)
        variant = raw_ops.TensorSliceDataset(
            components=flat_tensors(values, are_slices=True), output_shapes=components.flat_shapes()
        )
        return Dataset._make(variant, components)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Dataset:
        """The slices of a sparse tensor along axis 0, each as its three tensors.

        Args:
            sparse_tensor: A SparseTensor of rank 2 or more.

        Returns:
            A dataset of tuples: the indices, without the first, the values, and the shape.

        Raises:
            TypeError: It is no SparseTensor.
        """
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(
                "`sparse_tensor` must be a `tf.SparseTensor` object. "
                f"Was {type(sparse_tensor)}."
            )
        rows = Dataset.from_tensor_slices(sparse_tensor)
        return rows.map(lambda row: (row.indices, row.values, row.dense_shape))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any,
        output_shapes: Any = None,
        args: Optional[Sequence[TensorLike]] = None,
    ) -> Dataset:
        """The elements that a generator yields, anew in each iteration.

        It runs in this program, as `tf.py_func` does.

        Args:
            generator: Called with arrays of `args`; gives something that can be iterated over.
            output_types: The dtypes of the components, in the structure of an element.
            output_shapes: Their shapes, in the same structure; by default unknown.
            args: Tensors that are evaluated at the beginning of an iteration.

        Returns:
            The dataset.

        Raises:
            TypeError: `generator` cannot be called.
        """
        return Dataset._make(*generator_dataset(generator, output_types, output_shapes, args))

    @staticmethod
    def range(*args: Any) -> Dataset:
        """The numbers `range(*args)` as int64.

        Args:
            *args: `stop`; `start, stop`; or `start, stop, step`: each an int64 scalar.

        Returns:
            A dataset of int64 scalars.

        Raises:
            ValueError: There are no arguments, or more than three.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid args: {args}")
        start, stop = (0, args[0]) if len(args) == 1 else args[:2]
        components = Components(dtypes.int64, TensorShape([]))
        variant = raw_ops.RangeDataset(
            start=int64(start, "start"),
            stop=int64(stop, "stop"),
            step=int64(args[2] if len(args) == 3 else 1, "step"),
            **components.attrs(),
        )
        return Dataset._make(variant, components)

    @staticmethod
    def zip(datasets: Any) -> Dataset:
        """Elements of the datasets, in the structure in which they are given, side by side.

        Args:
            datasets: Nested datasets; a tuple or dict, not a list.

        Returns:
            A dataset whose elements have that structure; it ends with the shortest one.

        Raises:
            TypeError: Something in the structure is no dataset.
        """
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
        return Dataset._of_all(flat, variant, components)

    @staticmethod
    def list_files(
        file_pattern: TensorLike, shuffle: Optional[bool] = None, seed: Optional[int] = None
    ) -> Dataset:
        """The names of the files that match a pattern.

        Args:
            file_pattern: One pattern, or a vector of them.
            shuffle: Gives them in random order, anew in each iteration, unless it is False.
            seed: Of the order.

        Returns:
            A dataset of string scalars. An iteration fails with InvalidArgumentError if no file
            matches.
        """
        names, count = matching_files(file_pattern)
        dataset = Dataset.from_tensor_slices(names)
        return dataset if shuffle is False else dataset.shuffle(count, seed=seed)

    # Arrangements.

    def concatenate(self, dataset: Dataset) -> Dataset:
        """The elements of this dataset, then those of the other one.

        Args:
            dataset: The other one, with components of the same dtypes.

        Returns:
            The dataset.

        Raises:
            TypeError: The dtypes differ.
        """
        if self._types != dataset._types:
            raise TypeError(
                f"Two datasets to concatenate have different types {self._types} and "
                f"{dataset._types}"
            )
        shapes = nest.map_structure(most_specific, self._shapes, dataset._shapes)
        components = Components(self._types, shapes)
        variant = raw_ops.ConcatenateDataset(
            input_dataset=self._variant_tensor,
            another_dataset=dataset._variant_tensor,
            **components.attrs(),
        )
        return Dataset._of_all([self, dataset], variant, components)

    def enumerate(self, start: TensorLike = 0) -> Dataset:
        """Pairs of a number and an element.

        Args:
            start: The first number.

        Returns:
            A dataset of (int64 scalar, element).
        """
        numbers = Dataset.range(start, dtypes.int64.max)
        return Dataset.zip((numbers, self))

    # Functions of elements.

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Optional[TensorLike] = None
    ) -> Dataset:
        """What a function makes of each element; it ends with one of which that is OutOfRange.

        Args:
            map_func: A function of an element; a tuple is given as several arguments. Gives nested
                tensors.
            num_parallel_calls: How many elements are computed at once, an int32 scalar; by default
                one.

        Returns:
            A dataset of the results.
        """
        return self._dataset(*map_elements(self, map_func, num_parallel_calls))

    map_with_legacy_function = map

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements for which a function returns true.

        Args:
            predicate: A function of an element, which gives a bool scalar.

        Returns:
            The dataset.

        Raises:
            ValueError: The function gives something else.
        """
        return self._dataset(*filter_elements(self, predicate))

    filter_with_legacy_function = filter

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """The elements of the datasets that a function makes, one dataset after the other.

        Args:
            map_func: A function of an element, which gives a dataset.

        Returns:
            The dataset.

        Raises:
            TypeError: The function gives no dataset.
        """
        return self._dataset(*flat_map_elements(self, map_func))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: TensorLike = AUTOTUNE,
        block_length: TensorLike = 1,
        num_parallel_calls: Optional[TensorLike] = None,
    ) -> Dataset:
        """As `flat_map`, of several datasets in turns.

        Args:
            map_func: A function of an element, which gives a dataset.
            cycle_length: How many datasets take turns; by default the runtime chooses.
            block_length: How many elements are taken of one before the next one's turn.
            num_parallel_calls: How many datasets are read at once, in the background; None for one,
                when its turn comes.

        Returns:
            The dataset.

        Raises:
            TypeError: The function gives no dataset.
        """
        cycle = (cycle_length, block_length)
        return self._dataset(*interleave_elements(self, map_func, cycle, num_parallel_calls))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The state after all elements.

        Args:
            initial_state: The first state, nested tensors.
            reduce_func: A function of the state and an element, which gives the next state.

        Returns:
            The last state, in the structure of the first.

        Raises:
            TypeError: The function gives another structure or other dtypes.
        """
        return reduce_elements(self, initial_state, reduce_func)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of this dataset.

        Args:
            transformation_func: A function of a dataset.

        Returns:
            Its result.

        Raises:
            TypeError: It gives no dataset.
        """
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


DatasetSpec._dataset_class = Dataset
