"""Numbers for networks, of columns."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence

from troupe._src.contrib_columns.checks import check_sequence_columns, in_order
from troupe._src.contrib_columns.column import rank_error, transformed
from troupe._src.contrib_columns.embeddings import embeddings_of
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.model_layers.flattening import inner_flatten
from troupe._src.ops import array_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.sparse.arrangement import sparse_reshape
from troupe._src.variables.variable_store import variable_scope


def input_from_feature_columns(
    columns_to_tensors: Dict[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Optional[Sequence[str]] = None,
    trainable: bool = True,
    scope: Any = None,
    cols_to_outs: Optional[Dict[Any, Any]] = None,
) -> Tensor:
    """The numbers of columns beside one another, in the order of their keys.

    Args:
        columns_to_tensors: Features by their names; it may have what columns made of them, too, by
            the columns.
        feature_columns: Columns of `tf.contrib.layers`, of numbers and of vectors.
        weight_collections: More collections for the variables.
        trainable: Whether they are trained.
        scope: The scope of the variables, by default `input_from_feature_columns`.
        cols_to_outs: A dict that gets the numbers of each column.

    Returns:
        A tensor of float32, [batch, numbers].

    Raises:
        TypeError: There is something else than such columns.
        ValueError: Columns are of categories, two have one key, or a feature is missing.
    """
    if cols_to_outs is not None and not isinstance(cols_to_outs, dict):
        raise ValueError("cols_to_outs must be a dict unless None")
    maker = _Maker(columns_to_tensors, weight_collections, trainable, 2)
    return maker.make(in_order(feature_columns), scope, "input_from_feature_columns", cols_to_outs)


def sequence_input_from_feature_columns(
    columns_to_tensors: Dict[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Optional[Sequence[str]] = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """`input_from_feature_columns` of sequences.

    Args:
        columns_to_tensors: Features by their names, [batch, steps, ...].
        feature_columns: Columns of numbers, of one-hot numbers and of embeddings.
        weight_collections: As there.
        trainable: As there.
        scope: The scope of the variables, by default `sequence_input_from_feature_columns`.

    Returns:
        A tensor of float32, [batch, steps, numbers].

    Raises:
        TypeError: There is something else than columns.
        ValueError: There are other columns, or as there.
    """
    columns = in_order(feature_columns)
    check_sequence_columns(columns)
    maker = _Maker(columns_to_tensors, weight_collections, trainable, 3)
    return maker.make(columns, scope, "sequence_input_from_feature_columns", None)


def with_global_variables(collections: Optional[Sequence[str]]) -> Optional[List[str]]:
    """The collections and that of all variables; None stays None, for the default."""
    if not collections:
        return None
    return list(dict.fromkeys([*collections, GraphKeys.GLOBAL_VARIABLES]))


class _Maker:
    """Makes the numbers of columns of a batch."""

    def __init__(
        self,
        columns_to_tensors: Dict[Any, Any],
        collections: Optional[Sequence[str]],
        trainable: bool,
        output_rank: int,
    ) -> None:
        self._features = dict(columns_to_tensors)
        self._collections = with_global_variables(collections)
        self._trainable, self._rank = trainable, output_rank

    def make(
        self, columns: List[Any], scope: Any, default_name: str, found: Optional[Dict[Any, Any]]
    ) -> Tensor:
        """The numbers of columns that are in order, which the dict gets, too."""
        outputs = []
        with variable_scope(scope, default_name=default_name):
            for column in columns:
                with variable_scope(None, default_name=column.name):
                    outputs.append(self._numbers(column))
                if found is not None:
                    found[column] = outputs[-1]
            return array_ops.concat(outputs, self._rank - 1)

    def _numbers(self, column: Any) -> Tensor:
        made = transformed(self._features, column)
        if self._rank == 3:
            made = _each_of_rank(made, self._rank, column.name)
        try:
            arguments = column._deep_embedding_lookup_arguments(made)
        except NotImplementedError:
            return self._plain_numbers(column, made)
        return embeddings_of(column, arguments, self._collections, self._trainable, self._rank)

    def _plain_numbers(self, column: Any, made: Any) -> Tensor:
        try:
            found: Tensor = column._to_dnn_input_layer(
                made, self._collections, self._trainable, output_rank=self._rank
            )
        except ValueError as error:
            raise ValueError(
                f"Error creating input layer for column: {column.name}.\n{error}"
            ) from error
        return found


def _each_of_rank(made: Any, output_rank: int, name: str) -> Any:
    if isinstance(made, tuple) and not isinstance(made, SparseTensor):
        return type(made)(*(tensor_of_rank(each, output_rank, name) for each in made))
    return tensor_of_rank(made, output_rank, name)


def tensor_of_rank(tensor: Any, output_rank: int, column_name: str) -> Any:
    """A tensor, dense or sparse, of that rank: with an axis more, or with the last ones as one.

    Raises:
        ValueError: Its rank is not known, or lower by more than one.
    """
    is_sparse = isinstance(tensor, SparseTensor)
    rank = tensor.dense_shape.shape[0].value if is_sparse else tensor.shape.rank
    if rank is None:
        raise ValueError(
            f"Error while processing column {column_name}. Rank of input Tensor can not be None."
        )
    if output_rank > rank + 1:
        raise ValueError(rank_error(rank, output_rank, column_name))
    if output_rank < rank:
        return inner_flatten(tensor, output_rank)
    if output_rank == rank:
        return tensor
    if is_sparse:
        return sparse_reshape(tensor, array_ops.concat([tensor.dense_shape, [1]], 0))
    return array_ops.expand_dims(tensor, -1)
