"""The dtypes and shapes of the features and labels that a model has seen."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from troupe._src.ops.creation_ops import placeholder
from troupe._src.ops.sparse_tensor import SparseTensor, sparse_placeholder
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape


class TensorSignature(NamedTuple):
    """What a tensor is: None for the shape of sparse ones."""

    dtype: DType
    shape: Optional[TensorShape]

    def fits(self, tensor: Any) -> bool:
        """Whether a tensor is like it, but for the size of the batch."""
        other = signature_of(tensor)
        if self.dtype.base_dtype != other.dtype.base_dtype:
            return False
        if self.shape is None or other.shape is None:
            return self.shape is other.shape
        if self.shape.rank is None or other.shape.rank is None:
            return True
        is_one_rank = self.shape.rank == other.shape.rank
        return is_one_rank and self.shape[1:].is_compatible_with(other.shape[1:])

    def placeholder(self) -> Any:
        """A placeholder of any size of a batch."""
        if self.shape is None:
            return sparse_placeholder(self.dtype)
        rank = self.shape.rank
        return placeholder(self.dtype, None if rank is None else [None, *self.shape.as_list()[1:]])


def signature_of(tensor: Any) -> TensorSignature:
    """The signature of a tensor."""
    if isinstance(tensor, SparseTensor):
        return TensorSignature(tensor.dtype, None)
    return TensorSignature(tensor.dtype, tensor.shape)


def signatures_of(tensors: Any) -> Any:
    """The signatures of a tensor, or of a dict of tensors; None of None."""
    if tensors is None:
        return None
    if isinstance(tensors, dict):
        return {key: signature_of(tensor) for key, tensor in tensors.items()}
    return signature_of(tensors)


def all_fit(tensors: Any, signatures: Any) -> bool:
    """Whether tensors are as the signatures say; a dict may have more."""
    if tensors is None or signatures is None:
        return tensors is signatures
    if isinstance(tensors, dict) != isinstance(signatures, dict):
        return False
    if not isinstance(signatures, dict):
        return bool(signatures.fits(tensors))
    return all(key in tensors and each.fits(tensors[key]) for key, each in signatures.items())


def placeholders_of(signatures: Any) -> Any:
    """Placeholders for tensors of those signatures; None for None."""
    if signatures is None:
        return None
    if isinstance(signatures, dict):
        return {key: each.placeholder() for key, each in signatures.items()}
    return signatures.placeholder()
