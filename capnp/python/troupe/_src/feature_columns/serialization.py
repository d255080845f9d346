"""Columns as plain values of the configurations of layers, and back."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from troupe._src.feature_columns import categories, combinations, embeddings, numbers, sequences
from troupe._src.feature_columns.column import FeatureColumn
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.variables import initializers

_KINDS = {
    kind.__name__: kind
    for kind in (
        categories.HashedCategoricalColumn, categories.IdentityCategoricalColumn,
        categories.VocabularyFileCategoricalColumn, categories.VocabularyListCategoricalColumn,
        combinations.CrossedColumn, combinations.WeightedCategoricalColumn,
        embeddings.EmbeddingColumn, embeddings.IndicatorColumn, embeddings.SharedEmbeddingColumn,
        numbers.BucketizedColumn, numbers.NumericColumn,
        sequences.SequenceCategoricalColumn, sequences.SequenceNumericColumn,
    )
}  # fmt: skip


def serialize_columns(columns: Sequence[FeatureColumn]) -> List[Any]:
    """The configurations of columns."""
    return [_serialized(column) for column in columns]


def _serialized(value: Any) -> Any:
    """Of a column, or of a value of one of its fields."""
    if isinstance(value, FeatureColumn):
        own = getattr(value, "_get_config", None)
        config = own() if own else {key: _serialized(getattr(value, key)) for key in _fields(value)}
        return {"class_name": type(value).__name__, "config": config}
    if isinstance(value, DType):
        return value.name
    if isinstance(value, tuple):
        return tuple(_serialized(each) for each in value)
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return value.__name__ if callable(value) else value


def _fields(column: Any) -> Sequence[str]:
    if not hasattr(column, "_fields"):
        raise NotImplementedError(f"{type(column).__name__} defines no _get_config")
    fields: Sequence[str] = column._fields
    return fields


def deserialize_columns(
    configs: Sequence[Any], custom_objects: Optional[Dict[str, Any]] = None
) -> List[Any]:
    """The columns of configurations; one column where several are the same.

    Args:
        configs: What `serialize_columns` gives, or what JSON makes of it.
        custom_objects: A program's own columns, initializers and functions by their names.

    Returns:
        The columns.

    Raises:
        ValueError: A configuration has another form, or names what is not known.
    """
    made: Dict[Any, Any] = {}
    return [_column(config, custom_objects or {}, made) for config in configs]


def _column(config: Any, own: Dict[str, Any], made: Dict[Any, Any]) -> Any:
    if isinstance(config, str):
        return config
    if not isinstance(config, dict) or not {"class_name", "config"} <= config.keys():
        raise ValueError(f"Improper config format: {config}")
    name, fields = config["class_name"], config["config"]
    kind: Any = own.get(name) or _KINDS.get(name)
    if kind is None:
        raise ValueError(f"Unknown feature column: {name}")
    if hasattr(kind, "_from_config"):
        column = kind._from_config(fields, own, made)
    else:
        if set(fields) != set(kind._fields):
            raise ValueError(f"{name} has the fields {kind._fields}, but got {sorted(fields)}")
        column = kind(**{key: _value(key, given, own, made) for key, given in fields.items()})
    return made.setdefault((name, column.name), column)


def _value(key: str, given: Any, own: Dict[str, Any], made: Dict[Any, Any]) -> Any:
    if given is None:
        return None
    if key in ("categorical_column", "source_column"):
        return _column(given, own, made)
    if key == "keys":
        return tuple(_column(each, own, made) for each in given)
    if key == "dtype":
        return as_dtype(given)
    if key in ("initializer", "normalizer_fn"):
        return _callable(given, own)
    return tuple(given) if isinstance(given, list) else given


def _callable(given: Any, own: Dict[str, Any]) -> Any:
    """A function of that name, or an initializer of that configuration."""
    name = given["class_name"] if isinstance(given, dict) else given
    found = own.get(name) or (isinstance(given, dict) and getattr(initializers, name, None))
    if not found:
        raise ValueError(f"Unknown function or initializer: {name}")
    return found.from_config(given["config"]) if isinstance(given, dict) else found
