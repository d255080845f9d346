"""The examples in files that estimators read: how their features and labels are parsed."""

from __future__ import annotations

from typing import Any, Dict, Sequence

from troupe._src.feature_columns.layers import make_parse_example_spec
from troupe._src.feature_columns.numbers import NumericColumn, numeric_column
from troupe._src.parsing.feature_configs import FixedLenFeature
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe.estimator")
def classifier_parse_example_spec(
    feature_columns: Sequence[Any],
    label_key: str,
    label_dtype: Any = dtypes.int64,
    label_default: Any = None,
    weight_column: Any = None,
) -> Dict[str, Any]:
    """How examples of a classification are parsed by `tf.parse_example`.

    Args:
        feature_columns: The columns of features.
        label_key: The name of the class.
        label_dtype: Its dtype, `tf.string` where there is a vocabulary.
        label_default: The class of examples without one.
        weight_column: The name of the feature that has the weights of examples, or its column.

    Returns:
        The features by their names.

    Raises:
        ValueError: The label or the weight is a feature, too, or the weight is no number.
    """
    label = FixedLenFeature((1,), label_dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


@set_module("troupe.estimator")
def regressor_parse_example_spec(
    feature_columns: Sequence[Any],
    label_key: str,
    label_dtype: Any = dtypes.float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> Dict[str, Any]:
    """How examples of a regression are parsed by `tf.parse_example`.

    Args:
        feature_columns: The columns of features.
        label_key: The name of the label.
        label_dtype: Its dtype.
        label_default: The label of examples without one.
        label_dimension: How many numbers a label has.
        weight_column: The name of the feature that has the weights of examples, or its column.

    Returns:
        The features by their names.

    Raises:
        ValueError: The label or the weight is a feature, too, or the weight is no number.
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


def _with_label(
    columns: Sequence[Any], label_key: str, label: Any, weight_column: Any
) -> Dict[str, Any]:
    spec = make_parse_example_spec(columns)
    if label_key in spec:
        raise ValueError(
            f"label should not be used as feature. label_key: {label_key}, features: {list(spec)}"
        )
    spec[label_key] = label
    if weight_column is None:
        return spec
    column = numeric_column(weight_column) if isinstance(weight_column, str) else weight_column
    if not isinstance(column, NumericColumn):
        raise ValueError(
            "weight_column should be an instance of tf.feature_column.numeric_column. Given type: "
            f"{type(column)} value: {column}"
        )
    if column.key in spec:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {column.key}, features: "
            f"{list(spec)}"
        )
    return {**spec, **make_parse_example_spec([column])}
