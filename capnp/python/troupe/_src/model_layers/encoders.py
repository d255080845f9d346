"""Words as vectors, and tensors as sparse ones."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.contrib.aliases import collect_named_outputs
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.variables import model_variable
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn import embedding_ops
from troupe._src.ops import array_ops, gen_ops, math_ops, rearrange_ops, selection_ops
from troupe._src.ops.arithmetic_ops import not_equal
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.platform import logging
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import variable_scope


def _sparse_without(tensor: Tensor, value: Any) -> SparseTensor:
    """The elements that are not that value, as a sparse tensor."""
    indices = selection_ops.where(not_equal(tensor, constant(value, tensor.dtype)))
    shape = array_ops.shape(tensor, out_type=dtypes.int64)
    return SparseTensor(indices, rearrange_ops.gather_nd(tensor, indices), shape)


@add_arg_scope
def dense_to_sparse(
    tensor: TensorLike, eos_token: Any = 0, outputs_collections: Any = None, scope: Any = None
) -> SparseTensor:
    """The elements that are not one value, as a sparse tensor.

    Args:
        tensor: A tensor.
        eos_token: The value that is left out.
        outputs_collections: The collections that the result is added to.
        scope: The scope of the nodes, by default `dense_to_sparse`.

    Returns:
        A sparse tensor of the shape of `tensor`.
    """
    with variable_scope(scope, "dense_to_sparse") as current:
        found = _sparse_without(convert_to_tensor(tensor), eos_token)
        outputs: SparseTensor = collect_named_outputs(outputs_collections, current.name, found)
        return outputs


def bow_encoder(
    ids: Any, vocab_size: int, embed_dim: int, sparse_lookup: bool = True, initializer: Any = None,
    regularizer: Optional[Callable[[Any], Any]] = None, trainable: bool = True, scope: Any = None,
    reuse: Any = None,
) -> Tensor:  # fmt: skip
    """The mean of the vectors of words, in any order.

    Args:
        ids: Integers, [batch, words], dense or sparse.
        vocab_size: How many words there are.
        embed_dim: The length of vectors.
        sparse_lookup: Whether the ids 0 of a dense tensor are left out; an example of none gets
            the vector of 0.
        initializer: Makes the first vectors; None for the scope's default.
        regularizer: Makes a loss of the vectors, which is added to REGULARIZATION_LOSSES.
        trainable: Whether optimizers train them by default.
        scope: The scope of the variable `embeddings`, by default `bow_encoder`.
        reuse: Takes the variable that the scope has.

    Returns:
        A tensor, [batch, embed_dim].

    Raises:
        ValueError: A size is missing.
        TypeError: The ids are sparse, without `sparse_lookup`.
    """
    if not vocab_size or not embed_dim:
        raise ValueError("Must specify vocab size and embedding dimension")
    with variable_scope(scope, "bow_encoder", reuse=reuse):
        table = model_variable(
            "embeddings",
            [vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if not sparse_lookup:
            if isinstance(ids, SparseTensor):
                raise TypeError(f"ids are expected to be dense Tensor, got: {ids}")
            return math_ops.reduce_mean(embedding_ops.embedding_lookup(table, ids), axis=1)
        chosen = ids
        if not isinstance(ids, SparseTensor):
            chosen = _sparse_without(convert_to_tensor(ids), 0)
        return embedding_ops.safe_embedding_lookup_sparse(
            [table], chosen, combiner="mean", default_id=0
        )


def embed_sequence(
    ids: TensorLike, vocab_size: Optional[int] = None, embed_dim: Optional[int] = None,
    unique: bool = False, initializer: Any = None,
    regularizer: Optional[Callable[[Any], Any]] = None, trainable: bool = True, scope: Any = None,
    reuse: Any = None,
) -> Tensor:  # fmt: skip
    """The vectors of words.

    Args:
        ids: Integers, [batch, words].
        vocab_size: How many words there are; may be omitted where the variable is reused.
        embed_dim: The length of vectors; likewise.
        unique: Whether each vector is looked up once for all places of its word.
        initializer: Makes the first vectors; None for the scope's default.
        regularizer: Makes a loss of the vectors, which is added to REGULARIZATION_LOSSES.
        trainable: Whether optimizers train them by default.
        scope: The scope of the variable `embeddings`, by default `EmbedSequence`.
        reuse: Takes the variable that the scope has.

    Returns:
        A tensor, [batch, words, embed_dim].

    Raises:
        ValueError: A size is missing.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. Got vocab_size="
            f"{vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", reuse=reuse):
        table = model_variable(
            "embeddings",
            None if vocab_size is None or embed_dim is None else [vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        look_up = embedding_lookup_unique if unique else embedding_ops.embedding_lookup
        return look_up(table, ids)


def embedding_lookup_unique(
    params: Any, ids: TensorLike, partition_strategy: str = "mod", name: Optional[str] = None
) -> Tensor:
    """`tf.nn.embedding_lookup` that looks each id up once for all its places.

    Args:
        params: The rows: a tensor, a variable, or a list of parts.
        ids: Integers, of any shape.
        partition_strategy: How rows are divided into parts, "mod" or "div".

    Returns:
        A tensor of the shape of `ids` and that of a row.
    """
    with get_default_graph().name_scope(name or "EmbeddingLookupUnique"):
        tensor = convert_to_tensor(ids)
        sizes = array_ops.shape(tensor)
        once, places = gen_ops.unique(array_ops.reshape(tensor, [-1]))
        rows = embedding_ops.embedding_lookup(params, once, partition_strategy)
        shape = array_ops.concat([sizes, array_ops.shape(rows)[1:]], 0)
        found = array_ops.reshape(selection_ops.gather(rows, places), shape)
        found.set_shape(tensor.shape.concatenate(rows.shape[1:]))
        return found


def safe_embedding_lookup_sparse(
    embedding_weights: Any, sparse_ids: SparseTensor,
    sparse_weights: Optional[SparseTensor] = None, combiner: Optional[str] = None,
    default_id: Optional[int] = None, name: Optional[str] = None, partition_strategy: str = "div",
    max_norm: Optional[float] = None,
) -> Tensor:  # fmt: skip
    """`tf.nn.safe_embedding_lookup_sparse`, which by default takes means, and says so.

    Args:
        embedding_weights: The rows: a tensor, a variable, or a list of parts.
        sparse_ids: Integers, of rank 2 or more.
        sparse_weights: The weights of the ids; None for 1.
        combiner: "mean", "sqrtn" or "sum"; None for "mean".
        default_id: The id for an example without ids; None for a row of zeros.
        partition_strategy: How rows are divided into parts, "div" or "mod".
        max_norm: The length that rows are shortened to; None for none.

    Returns:
        A tensor of the shape of `sparse_ids`, without its last axis, and that of a row.

    Raises:
        ValueError: There are no rows, or dtypes differ.
    """
    if embedding_weights is not None:
        dtype = None if sparse_weights is None else sparse_weights.dtype
        embedding_weights = embedding_ops.tables_of(embedding_weights, dtype)
        found = {each.dtype.base_dtype.name for each in embedding_weights}
        if len(found) > 1:
            raise ValueError(f"All parts of embedding_weights must have one dtype, not {found}.")
    if combiner is None:
        logging.warning("safe_embedding_lookup_sparse has no combiner: it takes means")
        combiner = "mean"
    return embedding_ops.safe_embedding_lookup_sparse(
        embedding_weights, sparse_ids, sparse_weights, combiner, default_id, name,
        partition_strategy, max_norm,
    )  # fmt: skip
