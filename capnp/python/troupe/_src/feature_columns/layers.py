"""Layers of columns: `input_layer` and `linear_model`."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    SequenceDenseColumn,
    Transformed,
    VariableOptions,
)
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.nn.embedding_ops import safe_embedding_lookup_sparse
from troupe._src.nn.nn_ops import bias_add
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.sparse.arrangement import sparse_reshape
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import get_variable_scope, variable_scope
from troupe._src.variables.variable_scope import get_variable


def input_layer(
    features: Dict[str, Any],
    feature_columns: Any,
    weight_collections: Optional[Sequence[str]] = None,
    trainable: bool = True,
    cols_to_vars: Optional[Dict[Any, Any]] = None,
    cols_to_output_tensors: Optional[Dict[Any, Any]] = None,
) -> Tensor:
    """The numbers of columns side by side, in the order of the columns' names.

    Args:
        features: The tensors by the names of features, [batch] or [batch, ...].
        feature_columns: Columns of numbers.
        weight_collections: Collections of the variables, also of GLOBAL_VARIABLES and
            MODEL_VARIABLES.
        trainable: Whether trainings change the variables.
        cols_to_vars: A dict that gets the variables of each column.
        cols_to_output_tensors: A dict that gets the numbers of each column.

    Returns:
        A tensor of float32, [batch, numbers].

    Raises:
        ValueError: A column is one of categories, two have one name, or a feature is missing.
    """
    columns = normalized_columns(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a DenseColumn. You can wrap a categorical column "
                f"with an embedding_column or indicator_column. Given: {column}"
            )
    options = VariableOptions(_collections(weight_collections), trainable)
    transformed, outputs = Transformed(features), []
    with variable_scope(None, default_name="input_layer"):
        for column in columns:
            with variable_scope(None, default_name=column._scope_name):
                outputs.append(flat_numbers(column, column.dense_tensor(transformed, options)))
                _tell(cols_to_vars, column, _variables_here())
                _tell(cols_to_output_tensors, column, outputs[-1])
        return array_ops.concat(outputs, 1)


def sequence_input_layer(
    features: Dict[str, Any],
    feature_columns: Any,
    weight_collections: Optional[Sequence[str]] = None,
    trainable: bool = True,
) -> Tuple[Tensor, Tensor]:
    """The numbers of columns of sequences side by side, in the order of the columns' names.

    Args:
        features: As of `input_layer`.
        feature_columns: Columns of `sequence_numeric_column`, and embeddings and indicators of
            those of `sequence_categorical_column_with_*`.
        weight_collections: As of `input_layer`.
        trainable: As of `input_layer`.

    Returns:
        (numbers, [batch, steps, numbers of a step]; lengths of the sequences, int64). That all
        columns have sequences of the same lengths is checked in the step.

    Raises:
        ValueError: A column is not one of sequences, two have one name, or a feature is missing.
    """
    columns = normalized_columns(feature_columns)
    for column in columns:
        check_sequence_column(column)
    options = VariableOptions(_collections(weight_collections), trainable)
    transformed, found = Transformed(features), []
    with variable_scope(None, default_name="sequence_input_layer"):
        for column in columns:
            with variable_scope(None, default_name=column._scope_name):
                found.append(sequence_numbers(column, transformed, options))
        return joined_sequences(found)


def check_sequence_column(column: Any) -> None:
    """Raises a ValueError unless the column is one of numbers of sequences."""
    if not isinstance(column, SequenceDenseColumn):
        raise ValueError(
            "All feature_columns must be of type SequenceDenseColumn. You can wrap a "
            "sequence_categorical column with an embedding_column or indicator_column. "
            f"Given (type {type(column)}): {column}"
        )


def sequence_numbers(
    column: Any, features: Transformed, options: VariableOptions
) -> Tuple[Tensor, Tensor]:
    """The numbers of a column of sequences, [batch, steps, numbers of a step], and the lengths."""
    dense, length = column.sequence_dense_tensor(features, options)
    sizes, count = array_ops.shape(dense), column.variable_shape.num_elements()
    return array_ops.reshape(dense, array_ops.stack([sizes[0], sizes[1], count])), length


def joined_sequences(found: List[Tuple[Tensor, Tensor]]) -> Tuple[Tensor, Tensor]:
    """The numbers of several such columns side by side, and their lengths, if these are equal."""
    lengths = [length for _, length in found]
    checks = [assert_equal(lengths[0], each) for each in lengths[1:]]
    with get_default_graph().control_dependencies(checks):
        numbers = array_ops.concat([dense for dense, _ in found], -1)
        return numbers, array_ops.identity(lengths[0])


def concatenate_context_input(context_input: Any, sequence_input: Any) -> Tensor:
    """A sequence whose steps have the numbers of their example, too.

    Args:
        context_input: The numbers of the examples, float32, [batch, numbers].
        sequence_input: The sequences, float32, [batch, steps, numbers].

    Returns:
        [batch, steps, numbers of the step and of the example].

    Raises:
        TypeError: A dtype is another one.
        ValueError: A rank is another one.
    """
    context, sequence = convert_to_tensor(context_input), convert_to_tensor(sequence_input)
    for tensor, rank, name in ((sequence, 3, "sequence_input"), (context, 2, "context_input")):
        if tensor.dtype != dtypes.float32:
            raise TypeError(f"{name} must have dtype float32; got {tensor.dtype}.")
        if tensor.shape.rank not in (None, rank):
            raise ValueError(f"{name} must have rank {rank}, not the shape {tensor.shape}")
    counts = array_ops.stack([1, array_ops.shape(sequence)[1], 1])
    repeated = gen_ops.tile(array_ops.expand_dims(context, 1), counts)
    return array_ops.concat([sequence, repeated], 2)


def linear_model(
    features: Dict[str, Any],
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Optional[Sequence[str]] = None,
    trainable: bool = True,
    cols_to_vars: Optional[Dict[Any, Any]] = None,
) -> Tensor:
    """The weighted sum of columns, and a bias. Each category has weights of its own.

    Args:
        features: As of `input_layer`.
        feature_columns: Columns of numbers and of categories.
        units: How many sums there are.
        sparse_combiner: "sum", "mean" or "sqrtn", of the weights of an example's categories.
        weight_collections: As of `input_layer`.
        trainable: As of `input_layer`.
        cols_to_vars: A dict that gets the variables of each column, and of "bias".

    Returns:
        A tensor of float32, [batch, units].

    Raises:
        ValueError: There is something else than columns, two have one name, or a feature is
            missing.
    """
    columns = normalized_columns(feature_columns)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                "Items of feature_columns must be either a DenseColumn or CategoricalColumn. "
                f"Given: {column}"
            )
    options = VariableOptions(_collections(weight_collections), trainable)
    transformed, sums = Transformed(features), []
    with variable_scope(None, default_name="linear_model"):
        for column in columns:
            with variable_scope(None, default_name=column._scope_name):
                sums.append(_weighted_sum(column, transformed, units, sparse_combiner, options))
                _tell(cols_to_vars, column, _variables_here())
        bias = _weights("bias_weights", [units], options)
        _tell(cols_to_vars, "bias", list(bias) if hasattr(bias, "_get_variable_list") else [bias])
        total = add_n(sums, name="weighted_sum_no_bias")
        return bias_add(total, array_ops.identity(bias), name="weighted_sum")


def _weighted_sum(
    column: Any, features: Transformed, units: int, combiner: str, options: VariableOptions
) -> Tensor:
    if isinstance(column, CategoricalColumn):
        weights = _weights("weights", [column.num_buckets, units], options)
        ids, given = column.ids_and_weights(features)
        if ids.dense_shape.shape.num_elements() != 2:
            shape = array_ops.stack([ids.dense_shape[0], convert_to_tensor(-1, dtypes.int64)])
            ids = sparse_reshape(ids, shape)
            given = None if given is None else sparse_reshape(given, shape)
        found = safe_embedding_lookup_sparse(
            weights, ids, given, combiner=combiner, name="weighted_sum"
        )
        found.set_shape([None, units])
        return found
    weights = _weights("weights", [column.variable_shape.num_elements(), units], options)
    return math_ops.matmul(flat_numbers(column, column.dense_tensor(features, options)), weights)


def _weights(name: str, shape: List[Any], options: VariableOptions) -> Any:
    return get_variable(
        name,
        shape=shape,
        dtype=dtypes.float32,
        initializer=Zeros(),
        trainable=options.trainable,
        collections=list(options.collections),
    )


def normalized_columns(given: Any) -> List[Any]:
    """The columns in the order of their names, which differ."""
    if isinstance(given, FeatureColumn):
        given = [given]
    if isinstance(given, dict):
        raise ValueError(f"Expected feature_columns to be iterable, found dict: {given}")
    columns = list(given)
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"Items of feature_columns must be a FeatureColumn. Given: {column}")
    names: Dict[str, Any] = {}
    for column in columns:
        if column.name in names:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{names[column.name]}. This usually means that these columns refer to same base "
                "feature. Either one must be discarded or a duplicated but renamed item must be "
                "inserted in features dict."
            )
        names[column.name] = column
    return [names[name] for name in sorted(names)]


def _collections(given: Optional[Sequence[str]]) -> List[str]:
    own = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return [*(given or ()), *(key for key in own if key not in (given or ()))]


def flat_numbers(column: Any, numbers: Tensor) -> Tensor:
    """[batch, numbers]"""
    known = numbers.shape[0].value if numbers.shape.rank else None
    batch = array_ops.shape(numbers)[0] if known is None else known
    return array_ops.reshape(numbers, [batch, column.variable_shape.num_elements()])


def _variables_here() -> List[Any]:
    scope = get_variable_scope().name
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def _tell(found: Optional[Dict[Any, Any]], key: Any, value: Any) -> None:
    if found is not None:
        found[key] = value


def make_parse_example_spec(feature_columns: Any) -> Dict[str, Any]:
    """What `tf.parse_example` needs for columns.

    Args:
        feature_columns: The columns.

    Returns:
        A dict of features by their names.

    Raises:
        ValueError: There is something else than columns, or two need a feature differently.
    """
    spec: Dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"All feature_columns must be FeatureColumn instances. Given: {column}"
            )
        for key, feature in column.parse_example_spec.items():
            if key in spec and spec[key] != feature:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given "
                    f"{spec[key]} and {feature}"
                )
            spec[key] = feature
    return spec
