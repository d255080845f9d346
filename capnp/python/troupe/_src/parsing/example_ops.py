"""Functions that parse examples, and that make strings of sparse tensors and back."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseLike, SparseTensor, SparseTensorValue
from troupe._src.parsing.feature_configs import (
    Features,
    FixedLenFeature,
    FixedLenSequenceFeature,
    RawFeatures,
    SparseFeature,
    VarLenFeature,
    index_keys,
    with_unknown_length,
)
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike

EXAMPLE_FEATURES = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)


class _Outputs:
    """Takes the outputs of an op, in lists of known lengths."""

    def __init__(self, outputs: Sequence[Tensor]) -> None:
        self._rest = list(outputs)

    def take(self, count: int) -> List[Tensor]:
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken

    def features(self, raw: RawFeatures) -> Dict[str, Any]:
        """Sparse tensors, then dense ones, by their keys."""
        count = len(raw.sparse_keys)
        parts = zip(self.take(count), self.take(count), self.take(count))
        found: Dict[str, Any] = dict(zip(raw.sparse_keys, (SparseTensor(*part) for part in parts)))
        found.update(zip(raw.dense_keys, self.take(len(raw.dense_keys))))
        return found


def parse_example(
    serialized: TensorLike,
    features: Features,
    name: Optional[str] = None,
    example_names: Optional[TensorLike] = None,
) -> Dict[str, Any]:
    """The features of a vector of serialized examples, by their keys.

    Args:
        serialized: Example messages as strings, [N].
        features: a dict of FixedLenFeature, VarLenFeature, SparseFeature and
            FixedLenSequenceFeature, by keys.
        example_names: names that errors show, strings [N].

    Returns:
        A dict of tensors [N, ...] and SparseTensors by the keys.

    Raises:
        ValueError: if there are no features, or one is not valid.
    """
    raw = _raw_features(features)
    with name_scope(name, "ParseExample"):
        outputs = raw_ops.ParseExample(
            serialized=serialized,
            names=_strings(example_names),
            sparse_keys=[constant(key) for key in raw.sparse_keys],
            dense_keys=[constant(key) for key in raw.dense_keys],
            dense_defaults=raw.default_tensors(),
            sparse_types=list(raw.sparse_types.values()),
            dense_shapes=list(raw.dense_shapes),
        )
        return _merged(features, _Outputs(outputs).features(raw))


def parse_single_example(
    serialized: TensorLike,
    features: Features,
    name: Optional[str] = None,
    example_names: Optional[TensorLike] = None,
) -> Dict[str, Any]:
    """The features of one serialized example, a scalar, by their keys.

    Args:
        serialized: an Example message as a scalar string.
        features: a dict of FixedLenFeature, VarLenFeature, SparseFeature and
            FixedLenSequenceFeature, by keys.
        example_names: a name that errors show, a scalar string.

    Returns:
        A dict of tensors and SparseTensors by the keys.

    Raises:
        ValueError: if there are no features, or one is not valid.
    """
    if example_names is not None:
        return _parse_named_example(serialized, features, name, example_names)
    raw = _raw_features(features)
    with name_scope(name, "ParseSingleExample"):
        outputs = raw_ops.ParseSingleExample(
            serialized=convert_to_tensor(serialized, dtypes.string),
            dense_defaults=raw.default_tensors(),
            num_sparse=len(raw.sparse_keys),
            sparse_keys=raw.sparse_keys,
            dense_keys=raw.dense_keys,
            sparse_types=list(raw.sparse_types.values()),
            dense_shapes=list(raw.dense_shapes),
        )
        return _merged(features, _Outputs(outputs).features(raw))


def _parse_named_example(
    serialized: Any, features: Features, name: Optional[str], example_name: Any
) -> Dict[str, Any]:
    """As a batch of one, since only the op of batches takes names."""
    with name_scope(name, "ParseSingleExample"):
        found = parse_example(
            array_ops.expand_dims(convert_to_tensor(serialized, dtypes.string), 0),
            features,
            example_names=array_ops.expand_dims(convert_to_tensor(example_name, dtypes.string), 0),
        )
        return {key: _without_batch(value) for key, value in found.items()}


def _without_batch(value: Any) -> Any:
    if not isinstance(value, SparseTensor):
        return array_ops.squeeze(value, [0])
    return SparseTensor(value.indices[:, 1:], value.values, value.dense_shape[1:])


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Features = None,
    sequence_features: Features = None,
    example_names: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tuple[Dict[str, Any], Dict[str, Any], Dict[str, Any]]:
    """The features of the contexts of serialized sequence examples, those of their lists, and the
    lengths of the dense lists, by their keys.

    Args:
        serialized: SequenceExample messages as strings, [N].
        context_features: a dict of FixedLenFeature and VarLenFeature, by keys.
        sequence_features: a dict of FixedLenSequenceFeature and VarLenFeature, by keys.
        example_names: names that errors show, strings [N].

    Returns:
        Two dicts of tensors and SparseTensors by the keys, of the context and of the lists; and a
        dict of the lengths of the dense lists, int64 [N].

    Raises:
        ValueError: if there are no features, or one is not valid.
    """
    context, lists = _raw_sequence_features(context_features, sequence_features)
    with name_scope(name, "ParseSequenceExample"):
        outputs = _Outputs(
            raw_ops.ParseSequenceExample(
                serialized=serialized,
                debug_name=_strings(example_names),
                context_dense_defaults=context.default_tensors(),
                feature_list_dense_missing_assumed_empty=_may_be_missing(lists),
                context_sparse_keys=context.sparse_keys,
                context_dense_keys=context.dense_keys,
                feature_list_sparse_keys=lists.sparse_keys,
                feature_list_dense_keys=lists.dense_keys,
                Ncontext_sparse=len(context.sparse_keys),
                Nfeature_list_sparse=len(lists.sparse_keys),
                Ncontext_dense=len(context.dense_keys),
                Nfeature_list_dense=len(lists.dense_keys),
                **_sequence_types(context, lists),
            )
        )
        found = outputs.features(context), outputs.features(lists)
        lengths = dict(zip(lists.dense_keys, outputs.take(len(lists.dense_keys))))
        return (*found, lengths)


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Features = None,
    sequence_features: Features = None,
    example_name: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The features of the context of one serialized sequence example, and those of its lists.

    Args:
        serialized: a SequenceExample message as a scalar string.
        context_features: a dict of FixedLenFeature and VarLenFeature, by keys.
        sequence_features: a dict of FixedLenSequenceFeature and VarLenFeature, by keys.
        example_name: a name that errors show, a scalar string.

    Returns:
        Two dicts of tensors and SparseTensors by the keys, of the context and of the lists.

    Raises:
        ValueError: if there are no features, or one is not valid.
    """
    context, lists = _raw_sequence_features(context_features, sequence_features)
    with name_scope(name, "ParseSingleSequenceExample"):
        outputs = _Outputs(
            raw_ops.ParseSingleSequenceExample(
                serialized=serialized,
                feature_list_dense_missing_assumed_empty=_strings(_may_be_missing(lists)),
                context_sparse_keys=[constant(key) for key in context.sparse_keys],
                context_dense_keys=[constant(key) for key in context.dense_keys],
                feature_list_sparse_keys=[constant(key) for key in lists.sparse_keys],
                feature_list_dense_keys=[constant(key) for key in lists.dense_keys],
                context_dense_defaults=context.default_tensors(),
                debug_name="" if example_name is None else example_name,
                **_sequence_types(context, lists),
            )
        )
        return outputs.features(context), outputs.features(lists)


def _strings(values: Any) -> Tensor:
    """A vector of strings, also of none."""
    return convert_to_tensor([] if values is None else values, dtypes.string)


def _raw_features(features: Features) -> RawFeatures:
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    return RawFeatures(with_unknown_length(features), EXAMPLE_FEATURES)


def _raw_sequence_features(context: Features, lists: Features) -> Tuple[RawFeatures, RawFeatures]:
    if not context and not lists:
        raise ValueError("Missing features.")
    return (
        RawFeatures(context, (VarLenFeature, FixedLenFeature)),
        RawFeatures(lists, (VarLenFeature, FixedLenSequenceFeature)),
    )


def _may_be_missing(lists: RawFeatures) -> List[str]:
    for key, value in lists.defaults.items():
        if value is not None:
            raise ValueError(f"Value feature_list_dense_defaults[{key}] must be None")
    return list(lists.defaults)


def _sequence_types(context: RawFeatures, lists: RawFeatures) -> Dict[str, Any]:
    return {
        "context_sparse_types": list(context.sparse_types.values()),
        "context_dense_shapes": list(context.dense_shapes),
        "feature_list_sparse_types": list(lists.sparse_types.values()),
        "feature_list_dense_types": list(lists.dense_types.values()),
        "feature_list_dense_shapes": list(lists.dense_shapes),
    }


def _merged(features: Features, found: Dict[str, Any]) -> Dict[str, Any]:
    """What the program has asked for: each SparseFeature as one sparse tensor of its parts."""
    asked = features or {}
    for key in sorted(asked):
        feature = asked[key]
        if isinstance(feature, SparseFeature):
            found[key] = _sparse_of_parts(feature, found)
    return {key: value for key, value in found.items() if key in asked}


def _sparse_of_parts(feature: SparseFeature, found: Dict[str, Any]) -> SparseTensor:
    parts = [found[key] for key in index_keys(feature)]
    values = found[feature.value_key]
    columns = [array_ops.expand_dims(part.values, 1) for part in parts]
    sizes = feature.size if isinstance(feature.size, (list, tuple)) else [feature.size]
    if len(sizes) != len(parts):
        raise ValueError(
            f"a SparseFeature needs a size for each index_key: {len(parts)}, not {len(sizes)}"
        )
    indices = array_ops.concat([parts[0].indices[:, :-1], *columns], 1)
    shape = array_ops.concat([values.dense_shape[:-1], constant(list(sizes), dtypes.int64)], 0)
    if not feature.already_sorted:
        indices, ordered = raw_ops.SparseReorder(
            input_indices=indices, input_values=values.values, input_shape=shape
        )
        return SparseTensor(indices, ordered, shape)
    return SparseTensor(indices, values.values, shape)


def _as_sparse(sp_input: Any) -> SparseTensor:
    if isinstance(sp_input, SparseTensorValue):
        return SparseTensor.from_value(sp_input)
    if not isinstance(sp_input, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return sp_input


def _serialized(
    op: Callable[..., Tensor], sp_input: Any, out_type: DTypeLike, name: Optional[str]
) -> Tensor:
    sparse = _as_sparse(sp_input)
    return op(
        sparse_indices=sparse.indices,
        sparse_values=sparse.values,
        sparse_shape=sparse.dense_shape,
        out_type=out_type,
        name=name,
    )


def serialize_sparse(
    sp_input: SparseLike, name: Optional[str] = None, out_type: DTypeLike = dtypes.string
) -> Tensor:
    """The indices, values and shape of a sparse tensor as a vector of three strings.

    Args:
        sp_input: a SparseTensor.
        out_type: string or variant.

    Returns:
        A tensor [3] of strings.

    Raises:
        TypeError: if it is no SparseTensor.
    """
    return _serialized(raw_ops.SerializeSparse, sp_input, out_type, name)


def serialize_many_sparse(
    sp_input: SparseLike, name: Optional[str] = None, out_type: DTypeLike = dtypes.string
) -> Tensor:
    """The parts of a sparse tensor along its first axis as strings: indices, values and shape of
    each.

    Args:
        sp_input: a SparseTensor, [N, ...].
        out_type: string or variant.

    Returns:
        A tensor [N, 3] of strings.

    Raises:
        TypeError: if it is no SparseTensor.
    """
    return _serialized(raw_ops.SerializeManySparse, sp_input, out_type, name)


def deserialize_many_sparse(
    serialized_sparse: TensorLike,
    dtype: DTypeLike,
    rank: Optional[int] = None,
    name: Optional[str] = None,
) -> SparseTensor:
    """The sparse tensor whose parts along its first axis are the rows of a matrix of strings.

    Args:
        serialized_sparse: what `serialize_many_sparse` gives, [N, 3].
        dtype: the dtype of the values.
        rank: the rank of the parts, if it is known.

    Returns:
        A SparseTensor [N, ...], as large as the greatest part.
    """
    indices, values, shape = raw_ops.DeserializeManySparse(
        serialized_sparse=serialized_sparse, dtype=dtype, name=name
    )
    if rank is not None:
        indices.set_shape([None, rank + 1])
        shape.set_shape([rank + 1])
    return SparseTensor(indices, values, shape)
