"""The features of trees, which are made of columns: buckets by number."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from troupe._src.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    Transformed,
    VariableOptions,
)
from troupe._src.feature_columns.embeddings import IndicatorColumn
from troupe._src.feature_columns.numbers import BucketizedColumn
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.array_ops import as_list
from troupe._src.types import dtypes

# A category is there or not.
_INDICATOR_BUCKETS = 2


class FeatureGroup(NamedTuple):
    """The features that have one number of buckets."""

    bucket_count: int
    feature_ids: List[int]


def sorted_columns(columns: Sequence[Any]) -> List[Any]:
    """The columns in the order of their names, which their features have."""
    return sorted(columns, key=lambda column: column.name)


def is_float(column: Any) -> bool:
    """Whether the column gives numbers, which quantiles bucketize.

    Raises:
        ValueError: Trees have no features of such a column.
    """
    if isinstance(column, (BucketizedColumn, CategoricalColumn, IndicatorColumn)):
        return False
    if isinstance(column, DenseColumn) and hasattr(column, "dtype"):
        return bool(column.dtype.is_floating)
    raise ValueError(f"Encountered unexpected column {column}")


def _float_count(column: Any) -> int:
    sizes = column.variable_shape.as_list()
    if len(sizes) > 1:
        raise ValueError(
            "For now, we only support Dense column with rank of 1, but column "
            f"`{column.name}` got: {column.variable_shape}"
        )
    return int(sizes[0]) if sizes else 1


def feature_count(column: Any) -> int:
    """How many features the column makes.

    Raises:
        ValueError: Trees have no features of such a column.
    """
    if isinstance(column, IndicatorColumn):
        return int(column.categorical_column.num_buckets)
    if isinstance(column, BucketizedColumn):
        return 1
    if isinstance(column, CategoricalColumn):
        raise ValueError(f"CategoricalColumn must be wrapped by IndicatorColumn, got: {column}")
    if isinstance(column, DenseColumn):
        return _float_count(column)
    raise ValueError(f"Got unexpected feature column type: {column}")


def column_names(columns: Sequence[Any]) -> List[str]:
    """For each feature the name of what it comes from."""
    names = []
    for column in columns:
        source = column.categorical_column if isinstance(column, IndicatorColumn) else column
        names += [source.name] * feature_count(column)
    return names


def grouped(columns: Sequence[Any], num_quantiles: int) -> List[FeatureGroup]:
    """The features by their number of buckets, which all bucketized columns share."""
    groups: Dict[int, List[int]] = {}
    bucketized: List[int] = []
    most, first = _INDICATOR_BUCKETS, 0
    for column in columns:
        ids = list(range(first, first + feature_count(column)))
        first += len(ids)
        if isinstance(column, BucketizedColumn):
            most = max(most, len(column.boundaries) + 1)
            bucketized += ids
        else:
            count = _INDICATOR_BUCKETS if isinstance(column, IndicatorColumn) else num_quantiles
            groups.setdefault(count, []).extend(ids)
    if bucketized:
        groups.setdefault(most, []).extend(bucketized)
    return [FeatureGroup(count, ids) for count, ids in groups.items()]


def boundaries_by_column(
    columns: Sequence[Any], boundaries: Sequence[Tensor]
) -> Dict[str, List[Tensor]]:
    """Those of the features of each column of numbers, by its name."""
    found, first = {}, 0
    for column in columns:
        count = feature_count(column)
        found[column.name] = list(boundaries[first : first + count])
        first += count
    return found


def transformed(
    features: Dict[Any, Any],
    columns: Sequence[Any],
    boundaries: Optional[Dict[str, List[Tensor]]] = None,
) -> List[Tensor]:
    """The features that columns make of those of examples.

    Args:
        features: The tensors by their names.
        columns: The columns in order.
        boundaries: Those of the buckets of numbers, by columns; without it, numbers stay.

    Returns:
        For each feature a vector: of its buckets, or of numbers.

    Raises:
        ValueError: A feature has another shape than trees take.
    """
    found = Transformed(features)
    results: List[Tensor] = []
    for column in columns:
        results += _of_column(found, column, boundaries)
    return results


def _of_column(
    features: Transformed, column: Any, boundaries: Optional[Dict[str, List[Tensor]]]
) -> List[Tensor]:
    count = feature_count(column)
    if isinstance(column, BucketizedColumn):
        buckets = array_ops.squeeze(features.get(column), axis=[1])
        if (buckets.shape.rank or 1) > 1:
            raise ValueError(
                "For now, only supports features equivalent to rank 1 but column "
                f"`{column.source_column.name}` got: {features.get(column).shape}"
            )
        return [buckets]
    numbers = column.dense_tensor(features, VariableOptions((), False))
    if isinstance(column, IndicatorColumn):
        if (numbers.shape.rank or 2) > 2:
            raise ValueError(
                "Rank of indicator column must be no more than 2, but column "
                f"`{column.categorical_column.name}` got: {numbers.shape}"
            )
        return array_ops.unstack(math_ops.cast(numbers, dtypes.int32), count, axis=1)
    values = array_ops.unstack(numbers, count, axis=1)
    if boundaries is None:
        return values
    limits = boundaries[column.name]
    return as_list(raw_ops.BoostedTreesBucketize(float_values=values, bucket_boundaries=limits))


def within(feature: Tensor, bucket_count: int) -> Tensor:
    """The feature, the last of so many buckets in place of those behind it.

    A sketch may keep a few more boundaries than there are to be.
    """
    return gen_ops.minimum(feature, bucket_count - 1)
