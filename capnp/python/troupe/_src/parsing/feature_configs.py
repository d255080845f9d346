"""What a program says about the features of examples that it parses."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

from troupe._src.graph.elements import Tensor
from troupe._src.ops.array_ops import reshape
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import TensorShape, as_shape


@set_module("troupe")
class VarLenFeature(NamedTuple):
    """A feature with any number of values: a sparse tensor."""

    dtype: DTypeLike


@set_module("troupe")
class FixedLenFeature(NamedTuple):
    """A feature of a shape, which must be there unless it has a default."""

    shape: Any
    dtype: DTypeLike
    default_value: Any = None


@set_module("troupe")
class FixedLenSequenceFeature(NamedTuple):
    """A feature whose values repeat a shape any number of times; shorter ones are padded."""

    shape: Any
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: Any = None


@set_module("troupe")
class SparseFeature(NamedTuple):
    """A sparse tensor whose values are one feature and whose indices are others."""

    index_key: Union[str, Sequence[str]]
    value_key: str
    dtype: DTypeLike
    size: Any
    already_sorted: bool = False


Features = Optional[Dict[str, Any]]


class RawFeatures:
    """Lists of the sparse and dense features, as the ops take them."""

    def __init__(self, features: Features, allowed: Sequence[type]) -> None:
        self.sparse_types: Dict[str, DType] = {}
        self.dense_types: Dict[str, DType] = {}
        self.dense_shapes: List[TensorShape] = []
        self.defaults: Dict[str, Any] = {}  # None for a list that may be missing
        for key in sorted(features or {}):
            self._add(key, (features or {})[key], allowed)
        both = set(self.dense_types).intersection(self.sparse_types)
        if both:
            raise ValueError(f"Dense and sparse keys must not intersect; intersection: {both}")

    @property
    def sparse_keys(self) -> List[str]:
        return list(self.sparse_types)

    @property
    def dense_keys(self) -> List[str]:
        return list(self.dense_types)

    def default_tensors(self) -> List[Tensor]:
        """A tensor for each dense feature; an empty one where it must be there."""
        return [
            self._default(key, dtype, shape)
            for (key, dtype), shape in zip(self.dense_types.items(), self.dense_shapes)
        ]

    def _add(self, key: str, feature: Any, allowed: Sequence[type]) -> None:
        kinds = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)
        if not isinstance(feature, kinds):
            raise ValueError(f"Invalid feature {key}:{feature}.")
        if type(feature) not in allowed:
            raise ValueError(f"Unsupported {type(feature).__name__} {feature}.")
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}.")
        dtype = as_dtype(feature.dtype)
        if isinstance(feature, VarLenFeature):
            self._add_sparse(key, dtype)
        elif isinstance(feature, SparseFeature):
            self._add_parts(feature, dtype)
        else:
            self._add_dense(key, feature, dtype)

    def _add_sparse(self, key: str, dtype: DType) -> None:
        known = self.sparse_types.setdefault(key, dtype)
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {dtype} for feature {key}.")

    def _add_parts(self, feature: SparseFeature, dtype: DType) -> None:
        if not feature.index_key:
            raise ValueError(f"Missing index_key for SparseFeature {feature}.")
        if not feature.value_key:
            raise ValueError(f"Missing value_key for SparseFeature {feature}.")
        for key in sorted(index_keys(feature)):
            self._add_sparse(key, dtypes.int64)
        self._add_sparse(feature.value_key, dtype)

    def _add_dense(self, key: str, feature: Any, dtype: DType) -> None:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}.")
        shape = as_shape(feature.shape)
        if isinstance(feature, FixedLenFeature):
            if shape.rank and shape[0].value is None:
                raise ValueError(
                    f"First dimension of shape for feature {key} unknown. Consider using "
                    "FixedLenSequenceFeature."
                )
            if not shape.is_fully_defined():
                raise ValueError(
                    f"All dimensions of shape for feature {key} need to be known but received "
                    f"{feature.shape}."
                )
        elif feature.allow_missing:
            self.defaults[key] = None
        self.dense_types[key] = dtype
        self.dense_shapes.append(shape)
        if feature.default_value is not None:
            self.defaults[key] = feature.default_value

    def _default(self, key: str, dtype: DType, shape: TensorShape) -> Tensor:
        value = self.defaults.get(key)
        if shape.rank and shape[0].value is None:
            padding = ("" if dtype == dtypes.string else 0) if value is None else value
            return reshape(convert_to_tensor(padding, dtype), [])
        if value is None:
            return constant([], dtype, [0])
        if isinstance(value, Tensor):
            return value
        return reshape(convert_to_tensor(value, dtype), shape.as_list())


def index_keys(feature: SparseFeature) -> List[str]:
    """The features that are the indices, an axis each."""
    return [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)


def with_unknown_length(features: Features) -> Features:
    """The features of examples, in which sequences have one more axis in front."""
    found = dict(features or {})
    for key, feature in found.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError(
                    "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
                )
            found[key] = feature._replace(shape=[None, *feature.shape])
    return found
