"""Sparse tensors: the elements that have values, and where they are."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.data_flow.accumulators import SparseConditionalAccumulator
from troupe._src.ops.segment_ops import sparse_segment_mean as segment_mean
from troupe._src.ops.segment_ops import sparse_segment_sqrt_n as segment_sqrt_n
from troupe._src.ops.segment_ops import sparse_segment_sum as segment_sum
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.ops.sparse_tensor import sparse_placeholder as placeholder
from troupe._src.sparse.arithmetic import sparse_add as add
from troupe._src.sparse.arithmetic import sparse_maximum as maximum
from troupe._src.sparse.arithmetic import sparse_minimum as minimum
from troupe._src.sparse.arithmetic import sparse_reduce_max as reduce_max
from troupe._src.sparse.arithmetic import sparse_reduce_max_sparse as reduce_max_sparse
from troupe._src.sparse.arithmetic import sparse_reduce_sum as reduce_sum
from troupe._src.sparse.arithmetic import sparse_reduce_sum_sparse as reduce_sum_sparse
from troupe._src.sparse.arithmetic import sparse_softmax as softmax
from troupe._src.sparse.arithmetic import sparse_tensor_dense_matmul as matmul
from troupe._src.sparse.arithmetic import sparse_tensor_dense_matmul as sparse_dense_matmul
from troupe._src.sparse.arrangement import sparse_concat as concat
from troupe._src.sparse.arrangement import sparse_expand_dims as expand_dims
from troupe._src.sparse.arrangement import sparse_fill_empty_rows as fill_empty_rows
from troupe._src.sparse.arrangement import sparse_reorder as reorder
from troupe._src.sparse.arrangement import sparse_reset_shape as reset_shape
from troupe._src.sparse.arrangement import sparse_reshape as reshape
from troupe._src.sparse.arrangement import sparse_retain as retain
from troupe._src.sparse.arrangement import sparse_slice as slice
from troupe._src.sparse.arrangement import sparse_split as split
from troupe._src.sparse.arrangement import sparse_transpose as transpose
from troupe._src.sparse.conversions import from_dense
from troupe._src.sparse.conversions import sparse_eye as eye
from troupe._src.sparse.conversions import sparse_mask as mask
from troupe._src.sparse.conversions import sparse_merge as merge
from troupe._src.sparse.conversions import sparse_tensor_to_dense as to_dense
from troupe._src.sparse.conversions import sparse_to_indicator as to_indicator
from troupe._src.sparse.crosses import sparse_cross as cross
from troupe._src.sparse.crosses import sparse_cross_hashed as cross_hashed

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "SparseConditionalAccumulator",
    "SparseTensor",
    "add",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "mask",
    "matmul",
    "maximum",
    "merge",
    "minimum",
    "placeholder",
    "reduce_max",
    "reduce_max_sparse",
    "reduce_sum",
    "reduce_sum_sparse",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]
