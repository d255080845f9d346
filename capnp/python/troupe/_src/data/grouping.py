"""Datasets of groups of elements, of buckets, and of elements chosen from several datasets."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.data import nest
from troupe._src.data.components import Components, components_of, most_specific
from troupe._src.data.dataset import Dataset
from troupe._src.data.dataset_base import DatasetBase
from troupe._src.data.mapping import trace_with, trace_with_state
from troupe._src.data.sources import RandomDataset
from troupe._src.data.transformations import Transformation
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import identity
from troupe._src.ops.assert_ops import assert_less
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.math_ops import cast, reduce_sum
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape

_KEY = Components(dtypes.int64, TensorShape([]))
_KEY_AND_WINDOW = Components((dtypes.int64, dtypes.variant), (TensorShape([]), TensorShape([])))


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Optional[TensorLike] = None,
    window_size_func: Optional[Callable[..., Any]] = None,
) -> Transformation:
    """Collects elements by a key, and reduces so many of a key to elements of a new dataset.

    What is left of each key at the end is reduced, too, in the order of the keys.

    Args:
        key_func: A function of an element, whose result is a scalar int64.
        reduce_func: A function of a key and of the dataset of its elements, which gives a dataset.
        window_size: How many elements of a key are reduced at once.
        window_size_func: A function of a key, which gives that number, in place of `window_size`.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        ValueError: Not one of `window_size` and `window_size_func` is given.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Must pass either window_size or window_size_func.")
    size_func = window_size_func or (lambda key: window_size)

    def apply(dataset: Dataset) -> Dataset:
        made: List[DatasetBase] = []

        def reduce(key: Tensor, window: Tensor) -> Tensor:
            result = reduce_func(key, Dataset._make(window, dataset._components))
            if not isinstance(result, DatasetBase):
                raise TypeError("`reduce_func` must return a `Dataset` object.")
            made.append(result)
            return result._variant_tensor

        key, _ = trace_with("key", _to_int64(key_func), dataset._components)
        size, _ = trace_with("window_size", _to_int64(size_func), _KEY)
        reduced, _ = trace_with("reduce", reduce, _KEY_AND_WINDOW)
        components = made[0]._components
        variant = raw_ops.GroupByWindowDataset(
            input_dataset=dataset._variant_tensor,
            key_func_other_arguments=key.captured,
            reduce_func_other_arguments=reduced.captured,
            window_size_func_other_arguments=size.captured,
            key_func=key.name,
            reduce_func=reduced.name,
            window_size_func=size.name,
            **components.attrs(),
        )
        return dataset._dataset(variant, components)

    return apply


def _to_int64(function: Callable[..., Any]) -> Callable[..., Tensor]:
    return lambda *args: convert_to_tensor(function(*args), dtypes.int64)


@set_module("troupe.data.experimental")
class Reducer:
    """How elements are reduced to a state, and what that is in the end.

    Args:
        init_func: A function of a key, an int64 scalar, which gives the first state: nested
            tensors.
        reduce_func: A function of the state and an element, which gives the next state.
        finalize_func: A function of the state, which gives the result.
    """

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._functions = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """Gives the first state of a key."""
        return self._functions[0]

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """Gives the state after an element."""
        return self._functions[1]

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """Gives the result of the last state."""
        return self._functions[2]


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """Reduces the elements of each key to one.

    The results come at the end of the elements, in the order of the keys.

    Args:
        key_func: A function of an element, whose result is a scalar int64.
        reducer: What makes the state of a key, and of that the result.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        ValueError: From what it returns, where the key is something else.
        TypeError: Likewise, where the state changes its structure or its dtypes.
    """

    def apply(dataset: Dataset) -> Dataset:
        key, value = trace_with("key", key_func, dataset._components)
        _check_key(value)
        init, state = trace_with("init", reducer.init_func, _KEY)
        reduced, _, before = trace_with_state("reduce", dataset, state, reducer.reduce_func)
        finalized, result = trace_with("finalize", reducer.finalize_func, before)
        components = components_of(result)
        variant = raw_ops.GroupByReducerDataset(
            input_dataset=dataset._variant_tensor,
            key_func_other_arguments=key.captured,
            init_func_other_arguments=init.captured,
            reduce_func_other_arguments=reduced.captured,
            finalize_func_other_arguments=finalized.captured,
            key_func=key.name,
            init_func=init.name,
            reduce_func=reduced.name,
            finalize_func=finalized.name,
            **components.attrs(),
        )
        return dataset._dataset(variant, components)

    return apply


def _check_key(value: Any) -> None:
    is_tensor = isinstance(value, Tensor)
    if is_tensor and value.dtype == dtypes.int64 and not value.shape.rank:
        return
    shown = f"type={value.dtype!r} and shape={value.shape}" if is_tensor else repr(value)
    raise ValueError(f"`key_func` must return a single tf.int64 tensor. Got {shown}")


def reduce_dataset(dataset: Dataset, reducer: Reducer) -> Any:
    """The last state of a dataset.

    Args:
        dataset: The dataset.
        reducer: What makes the state; the first one is that of the key 0. Its `finalize_func` is
            not called.

    Returns:
        The state after all elements.

    Raises:
        TypeError: It is no dataset, or the state changes its structure or its dtypes.
    """
    if not isinstance(dataset, Dataset):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    first = reducer.init_func(convert_to_tensor(0, dtypes.int64))
    return dataset.reduce(first, reducer.reduce_func)


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Batches elements with those of about their length, so that less is padded.

    Args:
        element_length_func: A function of an element, whose result is its length, an int32 scalar.
        bucket_boundaries: The lengths with which buckets begin, but for the first, in order.
        bucket_batch_sizes: How many elements a batch of each bucket has; one more than boundaries.
        padded_shapes: As of `Dataset.padded_batch`, by default those of the elements.
        padding_values: As of `Dataset.padded_batch`.
        pad_to_bucket_boundary: Pads unknown sizes to the longest length of the bucket and not of
            the batch. An element of the last bucket, which has none, is an InvalidArgumentError.
        no_padding: Batches without padding, for elements of one shape.
        drop_remainder: Leaves out the last batch of a bucket where it has fewer elements.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        ValueError: There is not one size more than there are boundaries.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError("len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1")

    def bucket_of(*element: Any) -> Tensor:
        length = convert_to_tensor(element_length_func(*element))
        begins = constant(list(bucket_boundaries), length.dtype, shape=[len(bucket_boundaries)])
        return reduce_sum(cast(begins <= length, dtypes.int64))

    def batch_size_of(bucket: Tensor) -> Tensor:
        return constant(list(bucket_batch_sizes), dtypes.int64)[bucket]

    def batch_of(bucket: Tensor, window: Dataset) -> Dataset:
        size = batch_size_of(bucket)
        if no_padding:
            return window.batch(size, drop_remainder=drop_remainder)
        filler: Optional[Tensor] = None
        if pad_to_bucket_boundary:
            filler = _longest_of(bucket, bucket_boundaries)
        shapes = _filled(window._shapes if padded_shapes is None else padded_shapes, filler)
        return window.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

    return group_by_window(bucket_of, batch_of, window_size_func=batch_size_of)


def _longest_of(bucket: Tensor, boundaries: Sequence[int]) -> Tensor:
    """The greatest length of elements of a bucket that is not the last one."""
    check = assert_less(
        bucket,
        constant(len(boundaries), dtypes.int64),
        message="When pad_to_bucket_boundary=True, elements must have "
        "length < max(bucket_boundaries).",
    )
    with control_dependencies([check]):
        return constant(list(boundaries), dtypes.int64)[identity(bucket)] - 1


def _filled(shapes: Any, filler: Optional[Tensor]) -> Any:
    """The shapes, with `filler` as the sizes that are not known."""
    if filler is None:
        return shapes

    def fill(shape: Any) -> Any:
        sizes = TensorShape(shape).as_list()
        return convert_to_tensor(
            [filler if size is None else size for size in sizes], dtypes.int64
        )

    return nest.map_structure(fill, shapes)


def choose_from_datasets(datasets: Sequence[Dataset], choice_dataset: Dataset) -> Dataset:
    """Elements of several datasets, each of the one whose number comes next.

    A number whose dataset has ended is left out. It ends with the numbers or with all datasets.

    Args:
        datasets: Datasets of the same structure and dtypes.
        choice_dataset: Scalars of int64, from 0 to below the number of datasets.

    Returns:
        A dataset.

    Raises:
        TypeError: `choice_dataset` is none of such scalars, or the dtypes of datasets differ.
        ValueError: There are no datasets, or their structures differ.
    """
    is_number = choice_dataset._types == dtypes.int64 and choice_dataset._shapes == TensorShape([])
    if not is_number:
        raise TypeError("`choice_dataset` must be a dataset of scalar `tf.int64` tensors.")
    if not datasets:
        raise ValueError("There must be a dataset to choose from.")
    components = _common_components(datasets)
    variant = raw_ops.DirectedInterleaveDataset(
        selector_input_dataset=choice_dataset._variant_tensor,
        data_input_datasets=[dataset._variant_tensor for dataset in datasets],
        **components.attrs(),
    )
    return Dataset._of_all([choice_dataset, *datasets], variant, components)


def _common_components(datasets: Sequence[Dataset]) -> Components:
    first = datasets[0]
    shapes = first._shapes
    for other in datasets[1:]:
        nest.assert_same_structure(first._types, other._types)
        if nest.flatten(first._types) != nest.flatten(other._types):
            raise TypeError(
                "Datasets to choose from have different types: "
                f"{first._types} and {other._types}."
            )
        shapes = nest.map_structure(most_specific, shapes, other._shapes)
    return Components(first._types, shapes)


def sample_from_datasets(
    datasets: Sequence[Dataset], weights: Any = None, seed: Optional[int] = None
) -> Dataset:
    """Elements of several datasets, each of one that is drawn.

    Args:
        datasets: Datasets of the same structure and dtypes.
        weights: How likely each is, a list or tensor of floats, or a dataset of such; without, all
            are equally likely.
        seed: Of the draws.

    Returns:
        A dataset, which ends with all of them.

    Raises:
        ValueError: There are not as many weights as datasets.
    """
    count = len(datasets)
    if count == 1:
        return datasets[0]
    if isinstance(weights, Dataset):
        logits = weights.map(_logits)
    else:
        given = convert_to_tensor([1.0] * count if weights is None else weights)
        if given.shape.rank is not None and given.shape.as_list() != [count]:
            raise ValueError(f"There must be a weight for each of the {count} datasets.")
        logits = Dataset.from_tensors(_logits(given)).repeat()

    def draw(pair: Tensor, one: Tensor) -> Tensor:
        drawn = raw_ops.StatelessMultinomial(
            logits=[one], num_samples=1, seed=pair, output_dtype=dtypes.int64
        )
        return drawn[0, 0]

    seeds = RandomDataset(seed).batch(2)
    return choose_from_datasets(datasets, Dataset.zip((seeds, logits)).map(draw))


def _logits(weights: Tensor) -> Tensor:
    return raw_ops.Log(x=weights if weights.dtype.is_floating else cast(weights, dtypes.float32))
