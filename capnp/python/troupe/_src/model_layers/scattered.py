"""Embeddings whose elements are shared: hashes say which weight each element is."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.model_layers.crosses import sparse_feature_cross
from troupe._src.nn.embedding_ops import embedding_lookup, tables_of
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.platform import logging
from troupe._src.sparse.arrangement import sparse_fill_empty_rows
from troupe._src.types import dtypes

# What stands for a row without values.
_NO_TEXT, _NO_NUMBER = "6ZxWzWOHxZ", 1288896567


def scattered_embedding_lookup(
    params: Any,
    values: TensorLike,
    dimension: Any,
    name: Optional[str] = None,
    hash_key: Optional[int] = None,
) -> Tensor:
    """The vectors of values, of any number, whose elements are weights that they share.

    Args:
        params: The weights, of rank 1: a tensor, a variable, or a list of parts, of which the first
            ones may have one element more.
        values: Strings or integers, of any shape.
        dimension: The length of a vector.
        name: The scope of the nodes.
        hash_key: What hashes depend on; None for those of before there were keys.

    Returns:
        A tensor of the shape of `values` and the length.

    Raises:
        ValueError: The length is missing or not positive, or parts have wrong sizes.
    """
    if dimension is None:
        raise ValueError("You must specify dimension.")
    return sampled_lookup(params, values, dimension, hash_key=hash_key, name=name)


def sampled_lookup(
    params: Any,
    values: TensorLike,
    dimension: Any = None,
    sampled_candidates: Any = None,
    hash_key: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """`scattered_embedding_lookup` of some elements of each vector.

    Args:
        params: The weights, of rank 1: a tensor, a variable, or a list of parts, of which the first
            ones may have one element more.
        values: Strings or integers, of any shape.
        dimension: The length of a vector, of which all elements are looked up.
        sampled_candidates: The numbers of the elements, a tensor of the shape of `values` and one
            more axis; instead of the length.
        hash_key: What hashes depend on; None for those of before there were keys.
        name: The scope of the nodes.

    Returns:
        A tensor of the shape of `values` and the number of elements.

    Raises:
        ValueError: The length is missing or not positive, or parts have wrong sizes.
    """
    tables = tables_of(params)
    with name_scope(name, "scattered_embedding_lookup"):
        given = convert_to_tensor(values)
        sizes = array_ops.shape(given)
        column = array_ops.reshape(given, [-1, 1])
        if sampled_candidates is None:
            if dimension is None:
                raise ValueError("You must specify either dimension or sampled_candidates.")
            if isinstance(dimension, int) and dimension <= 0:
                raise ValueError(f"Dimension must be >0. Given is {dimension}")
            every = array_ops.expand_dims(math_ops.range(0, dimension), 0)
            chosen = gen_ops.tile(every, array_ops.shape(column))
        else:
            chosen = convert_to_tensor(sampled_candidates)
            own = array_ops.shape(chosen)
            dimension = own[-1]
            wanted = array_ops.concat([sizes, array_ops.reshape(dimension, [1])], 0)
            text = "The shape of sampled_candidates does not match that of values: "
            is_same = math_ops.reduce_all(gen_ops.equal(own, wanted))
            with get_default_graph().control_dependencies([Assert(is_same, [text, own, sizes])]):
                chosen = array_ops.reshape(chosen, array_ops.stack([-1, dimension]))
        crosses = sparse_feature_cross(
            [chosen, column], hashed_output=True, num_buckets=_total(tables), hash_key=hash_key
        )
        found = embedding_lookup(tables, crosses.values, partition_strategy="div")
        shape = array_ops.concat([sizes, array_ops.reshape(dimension, [1])], 0)
        return array_ops.reshape(found, shape)


def _total(tables: List[Any]) -> int:
    """How many weights there are."""
    sizes: List[int] = []
    for table in tables:
        table.shape.assert_has_rank(1)
        table.shape.assert_is_fully_defined()
        sizes += table.shape.as_list()
    total, count = sum(sizes), len(sizes)
    for i, size in enumerate(sizes):
        expected = (total - i - 1) // count + 1
        if size != expected:
            raise ValueError(f"Tensor {i} in params has size {size}, expected {expected}.")
    return total


def scattered_embedding_lookup_sparse(
    params: Any,
    sparse_values: SparseTensor,
    dimension: Any,
    combiner: Optional[str] = None,
    default_value: Any = None,
    name: Optional[str] = None,
    hash_key: Optional[int] = None,
) -> Tensor:
    """For each row of values, the combination of their vectors of `scattered_embedding_lookup`.

    Args:
        params: The weights, of rank 1: a tensor, a variable, or a list of parts.
        sparse_values: Strings or integers, [batch, any].
        dimension: The length of a vector.
        combiner: "mean", "sqrtn" or "sum"; None for "mean".
        default_value: The value of a row without any.
        name: The scope of the nodes.
        hash_key: What hashes depend on; None for those of before there were keys.

    Returns:
        A tensor, [batch, dimension].

    Raises:
        TypeError: The values are no sparse tensor.
        ValueError: The combiner is unknown, the length is missing or not positive, or parts have
            wrong sizes.
    """
    if combiner is None:
        logging.warning("scattered_embedding_lookup_sparse has no combiner: it takes means")
        combiner = "mean"
    if not isinstance(sparse_values, SparseTensor):
        raise TypeError("sparse_values must be SparseTensor")
    combine = {
        "sum": raw_ops.SparseSegmentSum,
        "mean": raw_ops.SparseSegmentMean,
        "sqrtn": raw_ops.SparseSegmentSqrtN,
    }
    if combiner not in combine:
        raise ValueError("Combiner must be one of 'mean', 'sqrtn' or 'sum'.")
    with name_scope(name, "scattered_embedding_lookup_sparse"):
        if default_value is None:
            default_value = _NO_TEXT if sparse_values.dtype == dtypes.string else _NO_NUMBER
        filled, _ = sparse_fill_empty_rows(sparse_values, default_value)
        once, places = gen_ops.unique(filled.values)
        vectors = scattered_embedding_lookup(params, once, dimension, hash_key=hash_key)
        segments = math_ops.cast(filled.indices[:, 0], dtypes.int32)
        return combine[combiner](data=vectors, indices=places, segment_ids=segments)


def sampled_lookup_sparse(
    params: Any,
    sp_values: SparseTensor,
    dimension: Any = None,
    sampled_candidates: Any = None,
    hash_key: Optional[int] = None,
    with_sign_hash: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """For each row of values, the sum of their vectors of `sampled_lookup`.

    Args:
        params: The weights, of rank 1.
        sp_values: Strings or integers, [batch, any].
        dimension: The length of a vector, of which all elements are looked up.
        sampled_candidates: The numbers of the elements, [batch, elements]; instead of the length.
        hash_key: What hashes depend on; None for those of before there were keys.
        with_sign_hash: Whether another hash says of each element whether it is negated.
        name: The scope of the nodes.

    Returns:
        A tensor, [batch, dimension or elements].

    Raises:
        TypeError: The values are no sparse tensor.
        ValueError: There is neither a length nor elements.
    """
    if not isinstance(sp_values, SparseTensor):
        raise TypeError("sp_values must be SparseTensor")
    with name_scope(name, "sampled_scattered_embedding_lookup_sparse"):
        segments = sp_values.indices[:, 0]
        chosen = sampled_candidates
        if chosen is not None:
            chosen = selection_ops.gather(chosen, segments)

        def look_up(weights: Any, scope: str) -> Tensor:
            return sampled_lookup(weights, sp_values.values, dimension, chosen, hash_key, scope)

        vectors = look_up(params, "values_lookup")
        if with_sign_hash:
            signs = constant([-1.0, 1.0], vectors.dtype)
            vectors = vectors * look_up(signs, "signs_lookup")
        return gen_ops.unsorted_segment_sum(vectors, segments, sp_values.dense_shape[0])
