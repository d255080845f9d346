"""Weighted sums of columns, the linear models of `tf.contrib.layers`."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.contrib.variables import model_variable
from troupe._src.contrib_columns.checks import in_order
from troupe._src.contrib_columns.column import WideArguments, transformed
from troupe._src.contrib_columns.embeddings import parts_of, restore
from troupe._src.contrib_columns.inputs import tensor_of_rank, with_global_variables
from troupe._src.graph.elements import Tensor
from troupe._src.model_layers.encoders import safe_embedding_lookup_sparse
from troupe._src.nn.nn_ops import bias_add
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.sparse.arrangement import sparse_concat
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope


class _Options(NamedTuple):
    """How variables are made, and how many sums there are."""

    num_outputs: int
    trainable: bool
    collections: Optional[Sequence[str]]

    def variable(self, name: str, rows: Any = None, initializer: Any = None) -> Any:
        """Weights of that many rows, or a bias."""
        return model_variable(
            name,
            shape=[self.num_outputs] if rows is None else [rows, self.num_outputs],
            dtype=dtypes.float32,
            initializer=initializer or Zeros(),
            trainable=self.trainable,
            collections=self.collections,
        )

    def with_bias(self, sums: Tensor) -> Tuple[Tensor, Any]:
        """The sums and a bias, and the bias."""
        others = self._replace(collections=with_global_variables(self.collections))
        bias = others.variable("bias_weight")
        return bias_add(sums, array_ops.identity(bias)), bias


def weighted_sum_from_feature_columns(
    columns_to_tensors: Dict[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Optional[Sequence[str]] = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tuple[Tensor, Dict[Any, List[Any]], Any]:
    """The weighted sums of columns, and a bias. Each category has weights of its own.

    Args:
        columns_to_tensors: Features by their names; it may have what columns made of them, too, by
            the columns.
        feature_columns: Columns of `tf.contrib.layers`, of numbers and of categories.
        num_outputs: How many sums there are.
        weight_collections: The collections of the variables, besides that of model variables; by
            default that of all variables.
        trainable: Whether they are trained.
        scope: The scope of the variables, by default `weighted_sum_from_feature_columns`.

    Returns:
        The sums, [batch, num_outputs] of float32; a dict of the parts of each column's weights; and
        the bias.

    Raises:
        TypeError: There is something else than such columns.
        ValueError: Columns are of vectors, two have one key, or a feature is missing.
    """
    columns, features = in_order(feature_columns), dict(columns_to_tensors)
    options = _Options(num_outputs, trainable, weight_collections)
    sums: List[Tensor] = []
    weights: Dict[Any, List[Any]] = {}
    with variable_scope(scope, default_name="weighted_sum_from_feature_columns"):
        for column in columns:
            made = transformed(features, column)
            with variable_scope(None, default_name=column.name):
                weights[column], found = _of_column(column, made, options)
            sums.append(array_ops.reshape(found, [-1, num_outputs]))
            restore(column._checkpoint_path(), weights[column])
        total, bias = options.with_bias(add_n(sums))
    return total, weights, bias


def _of_column(column: Any, made: Any, options: _Options) -> Tuple[List[Any], Tensor]:
    try:
        wide = column._wide_embedding_lookup_arguments(made)
    except NotImplementedError:
        numbers = tensor_of_rank(column._to_dense_tensor(made), 2, column.name)
        weight = options.variable("weight", numbers.shape[1])
        return [weight], math_ops.matmul(numbers, weight, name="matmul")
    except ValueError as error:
        text = f"Error creating weighted sum for column: {column.name}.\n{error}"
        raise ValueError(text) from error
    parts = parts_of(options.variable("weights", wide.vocab_size, wide.initializer))
    return parts, _looked_up(parts, wide, f"{column.name}_weights")


def _looked_up(parts: List[Any], wide: WideArguments, name: str) -> Tensor:
    return safe_embedding_lookup_sparse(
        parts,
        wide.input_tensor,
        sparse_weights=wide.weight_tensor,
        combiner=wide.combiner,
        name=name,
    )


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Dict[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Optional[Sequence[str]] = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tuple[Tensor, List[Any], Any]:
    """`weighted_sum_from_feature_columns` with one variable for the categories of all columns.

    Args:
        columns_to_tensors: As there.
        feature_columns: Columns of categories and of buckets, whose combiner is "sum".
        num_outputs: As there.
        weight_collections: As there.
        trainable: As there.
        scope: The scope of the variables, by default `joint_weighted_sum_from_feature_columns`.

    Returns:
        The sums, [batch, num_outputs] of float32; the parts of the weights; and the bias.

    Raises:
        NotImplementedError: A column is of numbers.
        AssertionError: Categories have weights, or a column another combiner.
        TypeError: There is something else than columns of `tf.contrib.layers`.
        ValueError: As there.
    """
    columns, features = in_order(feature_columns), dict(columns_to_tensors)
    options = _Options(num_outputs, trainable, weight_collections)
    with variable_scope(scope, default_name="joint_weighted_sum_from_feature_columns"):
        wide = [_joint_arguments(column, transformed(features, column)) for column in columns]
        assert wide, "At least one column must be in the model."
        ids, count = _beside_one_another(wide)
        with variable_scope(None, default_name="linear_weights"):
            parts = parts_of(options.variable("weights", count))
            found = _looked_up(parts, WideArguments(ids, None, count, "sum"), "_weights")
        total, bias = options.with_bias(found)
    return total, parts, bias


def _joint_arguments(column: Any, made: Any) -> WideArguments:
    try:
        wide: WideArguments = column._wide_embedding_lookup_arguments(made)
    except NotImplementedError as error:
        raise NotImplementedError(
            "Real-valued columns are not supported. Use weighted_sum_from_feature_columns instead, "
            "or bucketize these columns."
        ) from error
    use = "Please use weighted_sum_from_feature_columns instead."
    assert wide.weight_tensor is None, (
        f"Joint sums for weighted sparse columns are not supported. {use}"
    )
    assert wide.combiner == "sum", (
        f"Combiners other than sum are not supported for joint sums. {use}"
    )
    return wide


def _beside_one_another(wide: List[WideArguments]) -> Tuple[SparseTensor, int]:
    """The categories of all columns, those of each one behind those of the ones before."""
    count, moved = 0, []
    for each in wide:
        ids = each.input_tensor
        moved.append(ids._with_values(math_ops.cast(ids.values, dtypes.int64) + count))
        count += each.vocab_size
    return sparse_concat(1, moved), count
