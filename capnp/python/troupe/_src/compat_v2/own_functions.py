"""What of `tf.compat.v2` is no function of TensorFlow 1 with other parameters."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from troupe._src.compat_v2 import summaries
from troupe._src.compat_v2.variable import Variable
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image import scaling
from troupe._src.module_scopes.named_scope import name_scope
from troupe._src.nn import pool_ops
from troupe._src.ops.convert import constant as constant_v1
from troupe._src.ops.gen_ops import batch_to_space_nd, space_to_batch_nd
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.parsing.parsing_ops import decode_raw as decode_raw_v1
from troupe._src.sparse import arithmetic
from troupe._src.summary_writers.writers import SummaryWriter, flush
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import ShapeLike, as_shape

_Sizes = Union[int, List[int], Tuple[int, ...], np.ndarray[Any, Any]]


def constant(
    value: Any,
    dtype: Optional[DTypeLike] = None,
    shape: ShapeLike = None,
    name: str = "Const",
) -> Tensor:
    """A tensor of a value.

    Args:
        value: A number, or nested lists or an array of them.
        dtype: The dtype, by default that of the value.
        shape: The shape, by default that of the value; one element fills any.
        name: The name.

    Returns:
        A tensor.

    Raises:
        TypeError: The value has neither one element nor as many as the shape.
    """
    if shape is not None:
        given, wanted = np.shape(value), as_shape(shape)
        if given not in ((), (1,)) and np.prod(given) != wanted.num_elements():
            raise TypeError(f"Expected Tensor's shape: {wanted}, got {given}.")
    return constant_v1(value, dtype, shape, name)


def batch_to_space(
    input: TensorLike,  # noqa: A002
    block_shape: _Sizes,
    crops: TensorLike,
    name: Optional[str] = None,
) -> Tensor:
    """Moves images of the batch to the elements of blocks of the space.

    Args:
        input: [batch, height, width, ...].
        block_shape: The sizes of a block, or one for both axes.
        crops: What is cut off, [axes, 2].
        name: The name.

    Returns:
        A tensor.
    """
    return batch_to_space_nd(input, _block(block_shape), crops, name=name)


def space_to_batch(
    input: TensorLike,  # noqa: A002
    block_shape: _Sizes,
    paddings: TensorLike,
    name: Optional[str] = None,
) -> Tensor:
    """Moves each element of a block of the space to another image of the batch.

    Args:
        input: [batch, height, width, ...].
        block_shape: The sizes of a block, or one for both axes.
        paddings: What is added around, [axes, 2].
        name: The name.

    Returns:
        A tensor.
    """
    return space_to_batch_nd(input, _block(block_shape), paddings, name=name)


def _block(block_shape: Any) -> Any:
    return [block_shape, block_shape] if isinstance(block_shape, int) else block_shape


def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The bytes of each string as numbers, along a new last axis.

    Args:
        input_bytes: Strings of one length, of any shape.
        out_type: The dtype of the numbers.
        little_endian: The order of the bytes in them.
        fixed_length: Not supported.
        name: The name.

    Returns:
        A tensor.

    Raises:
        NotImplementedError: There is a fixed length.
    """
    if fixed_length is not None:
        raise NotImplementedError("decode_raw takes no fixed_length: strings have one length.")
    return decode_raw_v1(input_bytes, out_type, little_endian, name)


def _reduced(whole: Callable[..., Any], sparse: Callable[..., Any], kind: str) -> Any:
    def reduce(
        sp_input: SparseTensor,
        axis: Optional[TensorLike] = None,
        keepdims: Optional[bool] = None,
        output_is_sparse: bool = False,
        name: Optional[str] = None,
    ) -> Union[Tensor, SparseTensor]:
        with get_default_graph().name_scope(name or f"reduce_{kind}"):
            made: Union[Tensor, SparseTensor] = (sparse if output_is_sparse else whole)(
                sp_input, axis, keepdims
            )
            return made

    reduce.__name__ = reduce.__qualname__ = f"reduce_{kind}"
    reduce.__doc__ = f"`tf.sparse.reduce_{kind}`, as a sparse tensor if `output_is_sparse`."
    return reduce


# {the name: what it is}
FOUND: Dict[str, Any] = {
    "Variable": Variable,
    "batch_to_space": batch_to_space,
    "constant": constant,
    "image.ResizeMethod": scaling.ResizeMethod,
    "image.resize": scaling.resize,
    "image.resize_with_pad": scaling.resize_with_pad,
    "io.decode_raw": decode_raw,
    "name_scope": name_scope,
    "nn.avg_pool": pool_ops.avg_pool_v2,
    "nn.max_pool": pool_ops.max_pool_v2,
    "nn.space_to_batch": space_to_batch,
    "space_to_batch": space_to_batch,
    "sparse.reduce_max": _reduced(
        arithmetic.sparse_reduce_max, arithmetic.sparse_reduce_max_sparse, "max"
    ),
    **{
        f"summary.{each.__name__}": each
        for each in (
            summaries.audio, summaries.create_file_writer, summaries.create_noop_writer,
            summaries.histogram, summaries.image, summaries.record_if, summaries.scalar,
            summaries.text, summaries.write, SummaryWriter, flush,
        )
    },
    **{
        f"summary.experimental.{each.__name__}": each
        for each in (summaries.get_step, summaries.set_step, summaries.summary_scope)
    },
    "sparse.reduce_sum": _reduced(
        arithmetic.sparse_reduce_sum, arithmetic.sparse_reduce_sum_sparse, "sum"
    ),
}
