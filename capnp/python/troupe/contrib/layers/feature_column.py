"""Columns: what a model makes of features."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib_columns.checks import (
    create_feature_spec_for_parsing,
)
from troupe._src.contrib_columns.crossed import (
    crossed_column,
)
from troupe._src.contrib_columns.embeddings import (
    embedding_column,
    scattered_embedding_column,
    shared_embedding_columns,
)
from troupe._src.contrib_columns.numbers import (
    bucketized_column,
    real_valued_column,
)
from troupe._src.contrib_columns.parsing import (
    make_place_holder_tensors_for_base_features,
)
from troupe._src.contrib_columns.sparse import (
    sparse_column_with_hash_bucket,
    sparse_column_with_integerized_feature,
    sparse_column_with_keys,
    sparse_column_with_vocabulary_file,
)
from troupe._src.contrib_columns.weighted import (
    one_hot_column,
    weighted_sparse_column,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "bucketized_column",
    "create_feature_spec_for_parsing",
    "crossed_column",
    "embedding_column",
    "make_place_holder_tensors_for_base_features",
    "one_hot_column",
    "real_valued_column",
    "scattered_embedding_column",
    "shared_embedding_columns",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "weighted_sparse_column",
]
