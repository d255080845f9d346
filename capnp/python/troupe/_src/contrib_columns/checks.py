"""Which columns models take, in which order, and what of features they parse."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Tuple

from troupe._src.contrib_columns.column import ContribColumn
from troupe._src.contrib_columns.crossed import CrossedColumn
from troupe._src.contrib_columns.embeddings import EmbeddingColumn, ScatteredEmbeddingColumn
from troupe._src.contrib_columns.numbers import (
    BucketizedColumn,
    RealValuedColumn,
    RealValuedVarLenColumn,
)
from troupe._src.contrib_columns.weighted import OneHotColumn, WeightedSparseColumn
from troupe._src.parsing.feature_configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
)
from troupe._src.platform import logging

_OF_SEQUENCES = OneHotColumn, EmbeddingColumn, RealValuedColumn, RealValuedVarLenColumn
_NOT_OF_SEQUENCES = ScatteredEmbeddingColumn, BucketizedColumn, CrossedColumn


def check_feature_columns(feature_columns: Iterable[Any]) -> None:
    """Does nothing for columns that differ.

    Args:
        feature_columns: Columns.

    Raises:
        ValueError: It is a dict, or two columns have one key.
    """
    in_order(feature_columns)


def in_order(feature_columns: Iterable[Any]) -> List[Any]:
    """The columns in the order of their keys.

    Raises:
        ValueError: It is a dict, or two columns have one key.
        TypeError: There is something else than columns of `tf.contrib.layers`.
    """
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    found: Dict[str, Any] = {}
    for column in feature_columns:
        _check_kind(column)
        if column.key in found:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. This usually means "
                "that the column is almost identical to another column, and one must be discarded."
            )
        found[column.key] = column
    return [found[key] for key in sorted(found)]


def _check_kind(column: Any) -> None:
    if not isinstance(column, ContribColumn):
        raise TypeError(
            "feature_columns should only contain instances of _FeatureColumn. "
            f"Given column is {column}; tf.feature_column has columns that tf.estimator takes"
        )


def create_feature_spec_for_parsing(feature_columns: Any) -> Dict[str, Any]:
    """What `tf.parse_example` needs for columns.

    Args:
        feature_columns: The columns, or a dict of them.

    Returns:
        A dict of features by their names.

    Raises:
        TypeError: There is something else than columns.
    """
    if isinstance(feature_columns, dict):
        feature_columns = feature_columns.values()
    spec: Dict[str, Any] = {}
    for column in feature_columns:
        _check_kind(column)
        spec.update(column.config)
    return spec


def create_sequence_feature_spec_for_parsing(
    sequence_feature_columns: Any, allow_missing_by_default: bool = False
) -> Dict[str, Any]:
    """What `tf.parse_single_sequence_example` needs for columns of sequences.

    Args:
        sequence_feature_columns: The columns, or a dict of them.
        allow_missing_by_default: Whether features without a default may be missing.

    Returns:
        A dict of features by their names. Those with a default may be missing; it is not used.

    Raises:
        TypeError: There is something else than columns.
    """
    found: Dict[str, Any] = {}
    for key, feature in create_feature_spec_for_parsing(sequence_feature_columns).items():
        if isinstance(feature, VarLenFeature):
            found[key] = feature
            continue
        assert isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature))
        has_default = feature.default_value is not None
        if has_default:
            logging.warning(
                "The default %s of the feature %r is not used; the feature may be missing",
                feature.default_value, key,
            )  # fmt: skip
        found[key] = FixedLenSequenceFeature(
            shape=feature.shape,
            dtype=feature.dtype,
            allow_missing=allow_missing_by_default or has_default,
        )
    return found


def check_sequence_columns(feature_columns: Iterable[Any]) -> None:
    """Does nothing for columns that sequences can have; others are a ValueError."""
    for column in feature_columns:
        if not isinstance(column, _OF_SEQUENCES):
            raise ValueError(
                f"FeatureColumn type _{type(column).__name__} is not currently supported for "
                "sequence data."
            )
        for source in _with_sources(column):
            if isinstance(source, _NOT_OF_SEQUENCES):
                raise ValueError(
                    f"Column {source.name} is of type _{type(source).__name__}, which is not "
                    "currently supported for sequences."
                )


def _with_sources(column: Any) -> List[Any]:
    """A column, and all that it is made of."""
    sources: Tuple[Any, ...] = ()
    if isinstance(column, (WeightedSparseColumn, OneHotColumn, EmbeddingColumn)):
        sources = (column.sparse_id_column,)
    return [column, *(each for source in sources for each in _with_sources(source))]
