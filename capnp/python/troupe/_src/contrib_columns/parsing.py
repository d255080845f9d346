"""Features of columns: parsed from examples, and as columns make them."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Tuple

from troupe._src.contrib_columns.checks import (
    create_feature_spec_for_parsing,
    create_sequence_feature_spec_for_parsing,
    in_order,
)
from troupe._src.contrib_columns.column import transformed
from troupe._src.contrib_columns.numbers import RealValuedColumn, real_valued_column
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops
from troupe._src.ops.sparse_tensor import SparseTensor, sparse_placeholder
from troupe._src.parsing.example_ops import parse_example, parse_single_sequence_example
from troupe._src.parsing.feature_configs import VarLenFeature


def parse_feature_columns_from_examples(
    serialized: TensorLike,
    feature_columns: Iterable[Any],
    name: Optional[str] = None,
    example_names: Any = None,
) -> Dict[Any, Any]:
    """The features of columns, and what the columns make of them.

    Args:
        serialized: Serialized messages Example, a vector of strings.
        feature_columns: The columns.
        name: The scope of the nodes.
        example_names: Names for messages about examples that are wrong.

    Returns:
        A dict of features by their names, and of what each column has made by the column.

    Raises:
        TypeError: There is something else than columns.
        ValueError: Two columns have one key.
    """
    columns = in_order(feature_columns)
    spec = create_feature_spec_for_parsing(columns)
    found: Dict[Any, Any] = dict(parse_example(serialized, spec, name, example_names))
    for column in columns:
        transformed(found, column)
    return found


def transform_features(
    features: Dict[Any, Any], feature_columns: Iterable[Any]
) -> Dict[Any, Any]:
    """What columns make of features.

    Args:
        features: Features by their names.
        feature_columns: The columns.

    Returns:
        A dict of what each column has made by the column.

    Raises:
        TypeError: There is something else than columns.
        ValueError: Two columns have one key.
    """
    made = dict(features)
    return {column: transformed(made, column) for column in in_order(feature_columns)}


def parse_feature_columns_from_sequence_examples(
    serialized: TensorLike,
    context_feature_columns: Optional[Iterable[Any]],
    sequence_feature_columns: Optional[Iterable[Any]],
    name: Optional[str] = None,
    example_name: Any = None,
) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The features of columns in one example of sequences.

    Args:
        serialized: One serialized message SequenceExample.
        context_feature_columns: Columns of its context; None for none.
        sequence_feature_columns: Columns of its sequences; None for none.
        name: The scope of the nodes.
        example_name: Its name for messages about what is wrong.

    Returns:
        A dict of features of the context, and one of those of sequences.

    Raises:
        TypeError: There is something else than columns.
        ValueError: It is more than one message, or two columns have one key.
    """
    try:
        one = array_ops.reshape(serialized, [])
    except ValueError as error:
        raise ValueError(
            "serialized must contain as single sequence example. Batching must be done after "
            f"parsing for sequence examples. Error: {error}"
        ) from error
    context = create_feature_spec_for_parsing(in_order(context_feature_columns or []))
    sequences = create_sequence_feature_spec_for_parsing(in_order(sequence_feature_columns or []))
    found: Tuple[Dict[str, Any], Dict[str, Any]] = parse_single_sequence_example(
        one, context, sequences, example_name, name
    )
    return found


def make_place_holder_tensors_for_base_features(feature_columns: Any) -> Dict[str, Any]:
    """Placeholders for the features of columns.

    Args:
        feature_columns: The columns.

    Returns:
        A dict of placeholders by the features' names, dense and sparse, `Placeholder_<name>`.

    Raises:
        TypeError: There is something else than columns.
    """
    found: Dict[str, Any] = {}
    for key, feature in create_feature_spec_for_parsing(feature_columns).items():
        if isinstance(feature, VarLenFeature):
            found[key] = sparse_placeholder(feature.dtype, name=f"Placeholder_{key}")
        else:
            shape = (None, *feature.shape[:1])
            found[key] = creation_ops.placeholder(
                feature.dtype, shape=shape, name=f"Placeholder_{key}"
            )
    return found


def infer_real_valued_columns(features: Any) -> List[RealValuedColumn]:
    """A column of numbers for each feature.

    Args:
        features: A dict of dense tensors of numbers by their names, or one tensor, whose name is
            "" then.

    Returns:
        The columns.

    Raises:
        ValueError: A tensor is sparse, or not of numbers, or has an axis of unknown size.
    """
    named = features if isinstance(features, dict) else {"": features}
    return [_inferred(name, tensor) for name, tensor in named.items()]


def _inferred(name: str, tensor: Tensor) -> RealValuedColumn:
    if isinstance(tensor, SparseTensor):
        problem = "SparseTensor is not supported for auto detection"
    elif not (tensor.dtype.is_integer or tensor.dtype.is_floating):
        problem = "Non integer or non floating types are not supported for auto detection"
    elif tensor.shape.rank is None or not tensor.shape[1:].is_fully_defined():
        problem = "A shape that is not known is not supported for auto detection"
    else:
        count = tensor.shape[1:].num_elements()
        return real_valued_column(name, dimension=int(count or 1), dtype=tensor.dtype)
    raise ValueError(
        f"{problem}. Please define corresponding FeatureColumn for tensor {name} {tensor}."
    )
