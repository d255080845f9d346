"""Ragged tensors."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ragged.dense import RaggedConversions
from troupe._src.framework.dispatch import note_ragged
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.spec import RaggedTensorSpec
from troupe._src.ragged.value import RaggedTensorValue
from troupe._src.session.fetch import register_session_run_conversion_functions
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.composite_tensor import CompositeTensor
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype


@CompositeTensor.register
@set_module("troupe")
class RaggedTensor(RaggedConversions):
    """A tensor whose rows may have different lengths, and rows of rows, too.

    It is made of the values of all rows in succession, and of `row_splits`: row i has the values
    between the splits i and i + 1. The values may be a ragged tensor themselves, whose rows are
    then those of rows. Its operators, and many functions of this package, work by elements.
    """

    def _to_variant(self, batched_input: bool = False, name: Optional[str] = None) -> Tensor:
        """A variant that holds it, or a vector of variants, of which each holds a row."""
        with name_scope(name, "RaggedToVariant", [self]):
            variant: Tensor = raw_ops.RaggedTensorToVariant(
                rt_nested_splits=list(self.nested_row_splits), rt_dense_values=self.flat_values,
                batched_input=batched_input,
            )  # fmt: skip
            return variant

    @classmethod
    def _from_variant(
        cls, variant: Any, dtype: DTypeLike, output_ragged_rank: int,
        input_ragged_rank: Optional[int] = None, name: Optional[str] = None,
    ) -> RaggedTensor:  # fmt: skip
        """What a variant holds, or as rows what each of a tensor of them does."""
        encoded = convert_to_tensor(variant, dtypes.variant, name="variant")
        rank = encoded.shape.rank
        if rank is not None and input_ragged_rank is not None:
            if output_ragged_rank != input_ragged_rank + rank:
                raise ValueError(
                    "output_ragged_rank must be equal to input_ragged_rank + variant.shape.ndims, "
                    f"but they are {output_ragged_rank}, {input_ragged_rank} and {rank}"
                )
        with name_scope(name, "RaggedFromVariant", [variant]):
            *splits, values = raw_ops.RaggedTensorFromVariant(
                encoded_ragged=encoded, output_ragged_rank=output_ragged_rank,
                input_ragged_rank=-1 if input_ragged_rank is None else input_ragged_rank,
                Tvalues=as_dtype(dtype), Tsplits=dtypes.int64,
            )  # fmt: skip
            found: RaggedTensor = cls.from_nested_row_splits(values, splits, validate=False)
            return found


def is_ragged(value: Any) -> bool:
    """Whether it is a ragged tensor, or the value of one.

    Args:
        value: Any object.

    Returns:
        The answer.
    """
    return isinstance(value, (RaggedParts, RaggedTensorValue))


def convert_to_tensor_or_ragged_tensor(
    value: Any,
    dtype: Optional[DTypeLike] = None,
    preferred_dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
) -> Any:
    """A ragged tensor or the value of one as a ragged tensor, anything else as a tensor.

    Args:
        value: A RaggedTensor, a RaggedTensorValue, or what is converted to a tensor.
        dtype: The dtype that it must have; None for any.
        preferred_dtype: The dtype of a constant, if its elements can be represented in it.
        name: The name of the node.

    Returns:
        A ragged tensor or a tensor.

    Raises:
        ValueError: A ragged tensor has another dtype.
    """
    if isinstance(value, RaggedParts):
        if dtype is not None and as_dtype(dtype) != value.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {as_dtype(dtype).name} for RaggedTensor with "
                f"dtype {value.dtype.name}: {value!r}"
            )
        return value
    if isinstance(value, RaggedTensorValue):
        with name_scope(name, "ConvertToTensorOrRaggedTensor"):
            flat = convert_to_tensor(
                value.flat_values, dtype, name="flat_values", preferred_dtype=preferred_dtype
            )
            return RaggedTensor.from_nested_row_splits(
                flat, list(value.nested_row_splits), validate=False
            )
    return convert_to_tensor(value, dtype, name=name, preferred_dtype=preferred_dtype)


def match_row_splits_dtypes(*tensors: Any, return_dtype: bool = False) -> Any:
    """Checks that the splits of all ragged tensors have one dtype.

    Args:
        *tensors: Ragged tensors, and others.
        return_dtype: Whether that dtype is wanted, too: int64 without a ragged tensor.

    Returns:
        The tensors; or the dtype and the tensors.

    Raises:
        ValueError: There are two dtypes.
    """
    found = {each.row_splits.dtype for each in tensors if isinstance(each, RaggedParts)}
    if len(found) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    dtype: DType = next(iter(found), dtypes.int64)
    return (dtype, tensors) if return_dtype else tensors


class RaggedTensorType:
    """The dtype of a ragged tensor, and how many axes are ragged: what `map_fn` makes.

    Args:
        dtype: The dtype of the values.
        ragged_rank: The number of ragged axes.
        row_splits_dtype: int32 or int64.
    """

    def __init__(
        self, dtype: DTypeLike, ragged_rank: int, row_splits_dtype: DTypeLike = dtypes.int64
    ) -> None:
        self.dtype, self.ragged_rank = as_dtype(dtype), ragged_rank
        self.row_splits_dtype = as_dtype(row_splits_dtype)
        note_ragged(RaggedTensorType)


def _fetched(ragged: Any) -> Tuple[Sequence[Any], Any]:
    """What is fetched for a ragged tensor, and what makes its value of that."""

    def value_of(parts: Sequence[Any]) -> Any:
        found = parts[0]
        for splits in reversed(parts[1:]):
            found = RaggedTensorValue(found, splits)
        return found

    return ragged._components, value_of


def _fed(key: Any, value: Any) -> Sequence[Tuple[Any, Any]]:
    given = (value.flat_values, *value.nested_row_splits)
    return list(zip(key._components, given))


RaggedTensorSpec._tensor_class = RaggedTensor
register_session_run_conversion_functions(
    RaggedTensor, _fetched, _fed, lambda ragged: ragged._components
)
