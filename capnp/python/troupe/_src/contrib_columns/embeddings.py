"""Columns of vectors for categories: of each one, or made of weights that all share."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from troupe._src.contrib.variables import model_variable
from troupe._src.contrib_columns.column import ContribColumn, DeepArguments, WideArguments
from troupe._src.contrib_columns.sparse import SparseColumn
from troupe._src.contrib_columns.weighted import WeightedSparseColumn
from troupe._src.feature_columns.column import DenseColumn, Transformed, VariableOptions
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.model_layers.encoders import safe_embedding_lookup_sparse
from troupe._src.model_layers.flattening import inner_flatten
from troupe._src.model_layers.scattered import scattered_embedding_lookup_sparse
from troupe._src.parsing.feature_configs import VarLenFeature
from troupe._src.platform import logging
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.initializers import TruncatedNormal
from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.warm_starting.init_from_checkpoint import init_from_checkpoint


class _EmbeddingFields(NamedTuple):
    sparse_id_column: Any
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: Optional[str] = None
    tensor_name_in_ckpt: Optional[str] = None
    shared_embedding_name: Optional[str] = None
    shared_vocab_size: Optional[int] = None
    max_norm: Optional[float] = None
    trainable: bool = True


class EmbeddingColumn(ContribColumn, DenseColumn, _EmbeddingFields):
    """A vector for each category; those of an example are combined."""

    _left_out = ("initializer",)

    @property
    def name(self) -> str:
        is_shared = self.shared_embedding_name is not None
        return f"{self.sparse_id_column.name}_{'shared_embedding' if is_shared else 'embedding'}"

    @property
    def length(self) -> int:
        """How many vectors there are."""
        if self.shared_vocab_size is not None:
            return self.shared_vocab_size
        return int(self.sparse_id_column.length)

    @property
    def config(self) -> Dict[str, Any]:
        return dict(self.sparse_id_column.config)

    def transform(self, features: Transformed) -> Any:
        return features.get(self.sparse_id_column)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        arguments = self._deep_embedding_lookup_arguments(features.get(self))
        return embeddings_of(self, arguments, variables.collections, variables.trainable)

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> DeepArguments:
        return DeepArguments(
            input_tensor=self.sparse_id_column.id_tensor(input_tensor),
            weight_tensor=self.sparse_id_column.weight_tensor(input_tensor),
            vocab_size=self.length,
            initializer=self.initializer,
            combiner=self.combiner,
            dimension=self.dimension,
            shared_embedding_name=self.shared_embedding_name,
            hash_key=None,
            max_norm=self.max_norm,
            trainable=self.trainable,
        )

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> WideArguments:
        raise ValueError(
            f"Column {self} is not supported in linear models. Please use sparse_column."
        )

    def _checkpoint_path(self) -> Optional[Tuple[str, str]]:
        return checkpoint_path(self)


class _ScatteredFields(NamedTuple):
    column_name: str
    size: int
    dimension: int
    hash_key: Optional[int]
    combiner: str
    initializer: Any


class ScatteredEmbeddingColumn(ContribColumn, DenseColumn, _ScatteredFields):
    """A vector for each word, whose elements are weights that words share; hashes say which."""

    _left_out = ("initializer",)

    @property
    def name(self) -> str:
        return f"{self.column_name}_scattered_embedding"

    @property
    def config(self) -> Dict[str, Any]:
        return {self.column_name: VarLenFeature(dtypes.string)}

    def transform(self, features: Transformed) -> Any:
        return features.get(self.column_name)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        arguments = self._deep_embedding_lookup_arguments(features.get(self))
        return embeddings_of(self, arguments, variables.collections, variables.trainable)

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> DeepArguments:
        return DeepArguments(
            input_tensor=input_tensor,
            weight_tensor=None,
            vocab_size=self.size,
            initializer=self.initializer,
            combiner=self.combiner,
            dimension=self.dimension,
            shared_embedding_name=None,
            hash_key=self.hash_key,
            max_norm=None,
            trainable=True,
        )


def checkpoint_path(column: Any) -> Optional[Tuple[str, str]]:
    """The checkpoint of a column and the name there, or None."""
    if column.ckpt_to_load_from is None:
        return None
    return column.ckpt_to_load_from, column.tensor_name_in_ckpt


def parts_of(variable: Any) -> List[Any]:
    """The parts of a variable; itself where it is whole."""
    if isinstance(variable, PartitionedVariable):
        return list(variable._get_variable_list())
    return [variable]


def restore(path: Optional[Tuple[str, str]], parts: List[Any]) -> None:
    """Lets a variable begin with a tensor of a checkpoint, if there is one."""
    if path is not None:
        init_from_checkpoint(path[0], {path[1]: parts[0] if len(parts) == 1 else parts})


def embeddings_of(
    column: ContribColumn,
    arguments: DeepArguments,
    collections: Optional[Sequence[str]],
    trainable: bool,
    output_rank: int = 2,
) -> Tensor:
    """The vectors of a batch, for whose variable the scope is the current one."""
    ids, weights = inner_flatten(arguments.input_tensor, output_rank), arguments.weight_tensor
    weights = None if weights is None else inner_flatten(weights, output_rank)
    shape = [arguments.vocab_size, arguments.dimension]
    options = {
        "dtype": dtypes.float32,
        "initializer": arguments.initializer,
        "trainable": trainable and arguments.trainable,
        "collections": collections,
    }
    if isinstance(column, ScatteredEmbeddingColumn):
        return scattered_embedding_lookup_sparse(
            model_variable("weights", shape=shape[:1], **options),
            ids,
            arguments.dimension,
            hash_key=arguments.hash_key,
            combiner=arguments.combiner,
            name="lookup",
        )
    if arguments.shared_embedding_name is None:
        table = model_variable("weights", shape=shape, **options)
    else:
        table = _shared(arguments.shared_embedding_name, shape, options)
    parts = parts_of(table)
    restore(column._checkpoint_path(), parts)
    return safe_embedding_lookup_sparse(
        parts,
        ids,
        sparse_weights=weights,
        combiner=arguments.combiner,
        name=f"{column.name}weights",
        max_norm=arguments.max_norm,
    )


def _shared(name: str, shape: List[int], options: Dict[str, Any]) -> Any:
    """The table of that name in the graph, made by the first column that needs it."""
    graph, key = get_default_graph(), f"SHARED_EMBEDDING_COLLECTION_{name.upper()}"
    found = graph.get_collection(key)
    if len(found) > 1:
        raise ValueError(f"Collection {key} can only contain one (partitioned) variable.")
    if not found:
        table = model_variable(name, shape=shape, **options)
        graph.add_to_collection(key, table)
        return table
    if found[0].shape.as_list() != shape:
        raise ValueError(
            f"The embedding variable with name {name} already exists, but its shape does not match "
            f"required embedding shape here: {found[0].shape} and {shape}. Use another "
            "shared_embedding_name for other embeddings."
        )
    return found[0]


def embedding_column(
    sparse_id_column: Any, dimension: int, combiner: str = "mean", initializer: Any = None,
    ckpt_to_load_from: Optional[str] = None, tensor_name_in_ckpt: Optional[str] = None,
    max_norm: Optional[float] = None, trainable: bool = True,
) -> EmbeddingColumn:  # fmt: skip
    """A vector for each category, as numbers for a network.

    Args:
        sparse_id_column: A `sparse_column_with_...`, one with weights, or a `crossed_column`.
        dimension: The length of a vector.
        combiner: How the vectors of an example become one: "mean", "sqrtn" or "sum".
        initializer: Makes the first vectors; by default truncated normal ones, with the deviation
            1 / sqrt(categories).
        ckpt_to_load_from: A checkpoint that they begin with instead.
        tensor_name_in_ckpt: The name of the tensor there.
        max_norm: The length that vectors are shortened to; None for none.
        trainable: Whether they are trained.

    Returns:
        The column.

    Raises:
        ValueError: The initializer is no function, or only one of the two names is given.
    """
    return _embedding(
        sparse_id_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
        max_norm=max_norm, trainable=trainable,
    )  # fmt: skip


def _embedding(
    column: Any, dimension: int, combiner: str, initializer: Any, path: Any, tensor_name: Any,
    **others: Any,
) -> EmbeddingColumn:  # fmt: skip
    if initializer is not None and not callable(initializer):
        raise ValueError(
            "initializer must be callable if specified. "
            f"Embedding of column_name: {column.name}"
        )
    if (path is None) != (tensor_name is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if initializer is None:
        logging.warning(
            "%s begins with a deviation of 1/sqrt(categories); tf.feature_column.embedding_column "
            "has 1/sqrt(dimension)", column.name
        )  # fmt: skip
        initializer = TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(column.length))
    return EmbeddingColumn(
        column, dimension, combiner, initializer, path, tensor_name, **others
    )


def shared_embedding_columns(
    sparse_id_columns: Sequence[Any], dimension: int, combiner: str = "mean",
    shared_embedding_name: Optional[str] = None, initializer: Any = None,
    ckpt_to_load_from: Optional[str] = None, tensor_name_in_ckpt: Optional[str] = None,
    max_norm: Optional[float] = None, trainable: bool = True,
) -> Union[List[EmbeddingColumn], Tuple[EmbeddingColumn, ...]]:  # fmt: skip
    """Vectors for the categories of several columns, which are the same in all of them.

    Args:
        sparse_id_columns: Columns of the same categories, with weights or without.
        dimension: As of `embedding_column`.
        combiner: As of `embedding_column`.
        shared_embedding_name: The name of the variable, by default made of the columns' names.
        initializer: As of `embedding_column`.
        ckpt_to_load_from: As of `embedding_column`.
        tensor_name_in_ckpt: As of `embedding_column`.
        max_norm: As of `embedding_column`.
        trainable: As of `embedding_column`.

    Returns:
        A column for each of the columns, in their order: a list for one, else a tuple.

    Raises:
        TypeError: The columns are no sequence, or others.
        ValueError: There are none, they have other categories, or as of `embedding_column`.
    """
    if not isinstance(sparse_id_columns, Sequence) or isinstance(sparse_id_columns, str):
        raise TypeError(
            "sparse_id_columns must be a non-string sequence (ex: list or tuple) instead of type "
            f"{type(sparse_id_columns)}."
        )
    columns = list(sparse_id_columns)
    if not columns:
        raise ValueError("The input sparse_id_columns should have at least one element.")
    for column in columns:
        if not isinstance(column, (SparseColumn, WeightedSparseColumn)):
            raise TypeError(
                "Elements of sparse_id_columns must be _SparseColumn or _WeightedSparseColumn, "
                f"but {column} is not."
            )
    settings = dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt
    others: Dict[str, Any] = {"max_norm": max_norm, "trainable": trainable}
    others["shared_embedding_name"] = shared_embedding_name
    if len(columns) == 1:
        return [_embedding(columns[0], *settings, **others)]
    if not all(_have_same(columns[0], column) for column in columns[1:]):
        raise ValueError("The input sparse id columns are not compatible.")
    others["shared_embedding_name"] = shared_embedding_name or _shared_name(columns)
    others["shared_vocab_size"] = columns[0].length
    return tuple(_embedding(column, *settings, **others) for column in columns)


def _have_same(first: Any, column: Any) -> bool:
    if isinstance(first, WeightedSparseColumn):
        return first.is_compatible(column)
    return bool(column.is_compatible(first))


def _shared_name(columns: List[Any]) -> str:
    plain = sorted(column for column in columns if isinstance(column, SparseColumn))
    weighted = [column for column in columns if not isinstance(column, SparseColumn)]
    names = [column.name for column in [*plain, *sorted(weighted, key=lambda each: each.name)]]
    more = f"_plus_{len(names) - 3}_others" if len(names) > 3 else ""
    return f"{'_'.join(names[:3])}{more}_shared_embedding"


def scattered_embedding_column(
    column_name: str, size: int, dimension: int, hash_key: Optional[int], combiner: str = "mean",
    initializer: Any = None,
) -> ScatteredEmbeddingColumn:  # fmt: skip
    """A vector for each word, without a vocabulary: hashes say which weights it is made of.

    Args:
        column_name: The name of the feature, of strings.
        size: How many weights there are.
        dimension: The length of a vector.
        hash_key: What the hashes depend on.
        combiner: How the vectors of an example become one: "mean", "sqrtn" or "sum".
        initializer: Makes the first weights; by default truncated normal ones, of the deviation
            0.1.

    Returns:
        The column.

    Raises:
        ValueError: A size is not positive, or the combiner or the initializer is wrong.
    """
    if dimension < 1 or size < 1:
        raise ValueError(
            "Dimension and size must be greater than 0. "
            f"dimension: {dimension}, size: {size}, column_name: {column_name}"
        )
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(
            "Combiner must be one of 'mean', 'sqrtn' or 'sum'. "
            f"combiner: {combiner}, column_name: {column_name}"
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(
            f"initializer must be callable if specified. column_name: {column_name}"
        )
    begin = initializer or TruncatedNormal(mean=0.0, stddev=0.1)
    return ScatteredEmbeddingColumn(column_name, size, dimension, hash_key, combiner, begin)
