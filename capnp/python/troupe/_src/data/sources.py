"""Datasets that count or draw numbers, and what a dataset of one element has."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.data.components import Components
from troupe._src.data.dataset import Dataset
from troupe._src.data.specs import components_of_structure
from troupe._src.graph.elements import Tensor
from troupe._src.graph.random_seed import get_seed
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.gen_ops import greater_equal
from troupe._src.ops.math_ops import cast
from troupe._src.ops.selection_ops import where
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape


def Counter(  # noqa: N802
    start: TensorLike = 0, step: TensorLike = 1, dtype: DType = dtypes.int64
) -> Dataset:
    """The numbers from one on, without an end.

    Args:
        start: The first number.
        step: The distance of two numbers, which may be negative; an integer.
        dtype: The dtype of the numbers.

    Returns:
        A dataset of scalars.
    """
    first, distance = (convert_to_tensor(each, dtypes.int64) for each in (start, step))
    highest, lowest = (
        convert_to_tensor(end, dtypes.int64) for end in (dtypes.int64.max, dtypes.int64.min)
    )
    end = where(greater_equal(distance, 0), highest, lowest)
    numbers = Dataset.range(first, end, distance)
    return numbers if dtype == dtypes.int64 else numbers.map(lambda number: cast(number, dtype))


@set_module("troupe.data.experimental")
class RandomDataset(Dataset):
    """Random numbers from 0 to 2^32 - 1, int64 scalars, without an end.

    Args:
        seed: Of the numbers; by default that of the graph. With either of them each iteration has
            the same numbers.
    """

    def __init__(self, seed: Optional[int] = None) -> None:
        first, second = (convert_to_tensor(each, dtypes.int64) for each in get_seed(seed))
        self._components = Components(dtypes.int64, TensorShape([]))
        self._variant_tensor = raw_ops.RandomDataset(
            seed=first, seed2=second, **self._components.attrs()
        )


def get_single_element(dataset: Dataset) -> Any:
    """The only element of a dataset, which each step computes anew.

    Args:
        dataset: A dataset. A step fails with InvalidArgumentError unless it has one element.

    Returns:
        The element, in the structure of the dataset's.

    Raises:
        TypeError: It is no dataset.
    """
    if not isinstance(dataset, Dataset):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    values = raw_ops.DatasetToSingleElement(
        dataset=dataset._variant_tensor, **dataset._flat_structure
    )
    return dataset._components.element(list(values))


def from_variant(variant: Tensor, structure: Any) -> Dataset:
    """The dataset that a tensor holds.

    Args:
        variant: A scalar of dtype variant, such as `to_variant` gives.
        structure: The structure of its elements, with a specification such as tf.TensorSpec in the
            place of each component.

    Returns:
        The dataset.

    Raises:
        TypeError: Something in the structure is no such specification.
    """
    return Dataset._make(variant, components_of_structure(structure))


def to_variant(dataset: Dataset) -> Tensor:
    """The tensor that holds a dataset.

    Args:
        dataset: The dataset.

    Returns:
        A scalar of dtype variant.
    """
    return dataset._variant_tensor
