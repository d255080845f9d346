"""Columns of all combinations of the categories of others."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.contrib_columns.column import ContribColumn, WideArguments
from troupe._src.contrib_columns.embeddings import checkpoint_path
from troupe._src.contrib_columns.numbers import BucketizedColumn
from troupe._src.contrib_columns.sparse import SparseColumn
from troupe._src.feature_columns.column import CategoricalColumn, IdsAndWeights, Transformed
from troupe._src.model_layers.crosses import sparse_feature_cross
from troupe._src.ops.sparse_tensor import SparseTensor


class _CrossedFields(NamedTuple):
    columns: Tuple[Any, ...]
    hash_bucket_size: int
    hash_key: Optional[int]
    combiner: str
    ckpt_to_load_from: Optional[str]
    tensor_name_in_ckpt: Optional[str]


class CrossedColumn(ContribColumn, CategoricalColumn, _CrossedFields):
    """The hashes of all combinations of a value of each column."""

    @property
    def name(self) -> str:
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def length(self) -> int:
        """How many categories there are."""
        return self.hash_bucket_size

    @property
    def num_buckets(self) -> int:
        return self.length

    @property
    def config(self) -> Dict[str, Any]:
        return {key: value for column in self.columns for key, value in column.config.items()}

    def id_tensor(self, input_tensor: Any) -> Any:
        """The categories of what it has made of features."""
        return input_tensor

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Their weights, of which there are none."""
        return None

    def transform(self, features: Transformed) -> SparseTensor:
        # Those of sparse columns are hashed as they are, before they are categories.
        given: List[Any] = []
        for leaf in _leaves(self):
            if isinstance(leaf, BucketizedColumn):
                given.append(leaf.to_sparse_tensor(features.get(leaf)))
            else:
                given.append(features.get(leaf.name))
        return sparse_feature_cross(
            given,
            hashed_output=True,
            num_buckets=self.hash_bucket_size,
            hash_key=self.hash_key,
            name="cross",
        )

    def ids_and_weights(self, features: Transformed) -> IdsAndWeights:
        return IdsAndWeights(features.get(self), None)

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Any:
        raise ValueError(
            "CrossedColumn is not supported in DNN. "
            f"Please use embedding_column. column: {self}"
        )

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> WideArguments:
        return WideArguments(input_tensor, None, self.length, self.combiner)

    def _checkpoint_path(self) -> Optional[Tuple[str, str]]:
        return checkpoint_path(self)


def _leaves(crossed: CrossedColumn) -> List[Any]:
    """The columns of a cross, those of the crosses in it instead of these."""
    found: List[Any] = []
    for column in crossed.columns:
        found += _leaves(column) if isinstance(column, CrossedColumn) else [column]
    return found


def crossed_column(
    columns: Sequence[Any],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: Optional[str] = None,
    tensor_name_in_ckpt: Optional[str] = None,
    hash_key: Optional[int] = None,
) -> CrossedColumn:
    """All combinations of a value of each column, as hashes.

    Args:
        columns: Columns of categories, of buckets, and crosses.
        hash_bucket_size: How many categories there are.
        combiner: How the weights of an example's categories become one, in a weighted sum: "sum",
            "mean" or "sqrtn".
        ckpt_to_load_from: A checkpoint that its weights begin with.
        tensor_name_in_ckpt: The name of the tensor there.
        hash_key: What hashes depend on; None for those of before there were keys, which collide
            more often.

    Returns:
        The column.

    Raises:
        TypeError: A column is of another kind.
        ValueError: There are fewer than two columns or categories, or only one of the two names is
            given.
    """
    for column in columns:
        if not isinstance(column, (SparseColumn, CrossedColumn, BucketizedColumn)):
            raise TypeError(
                "columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn "
                f"instances. (column {column} is a {type(column).__name__})"
            )
    if len(columns) < 2:
        raise ValueError(f"columns must contain at least 2 elements. columns: {columns}")
    if hash_bucket_size < 2:
        raise ValueError(
            f"hash_bucket_size must be at least 2. hash_bucket_size: {hash_bucket_size}"
        )
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    in_order = tuple(sorted(columns, key=lambda column: str(column.name)))
    return CrossedColumn(
        in_order, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt
    )
