"""The types and shapes of the components of elements.

A sparse tensor is one string component of a dataset: the strings of its three tensors, which
batches have in rows. Functions and iterators give it as a SparseTensor again.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, NamedTuple, Sequence

from troupe._src.data import nest
from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.types.shapes import TensorShape


@dataclasses.dataclass(frozen=True)
class SparseType:
    """Stands in a structure of dtypes for a sparse tensor, whose values have this one."""

    dtype: DType


class Components(NamedTuple):
    """Two structures of the form of an element: dtypes and shapes."""

    types: Any
    shapes: Any

    def flat_types(self) -> List[Any]:
        """The dtypes of the tensors that an element is for the runtime."""
        return [
            dtypes.string if isinstance(each, SparseType) else each
            for each in nest.flatten(self.types)
        ]

    def flat_shapes(self) -> List[Any]:
        """The shapes of these tensors."""
        return [
            TensorShape(None) if isinstance(each, SparseType) else shape
            for each, shape in zip(nest.flatten(self.types), nest.flatten(self.shapes))
        ]

    def attrs(self) -> Dict[str, Any]:
        """As attributes of an op."""
        return {"output_types": self.flat_types(), "output_shapes": self.flat_shapes()}

    def element(self, tensors: Sequence[Tensor]) -> Any:
        """The element that these tensors are."""
        rows = zip(nest.flatten(self.types), nest.flatten(self.shapes), tensors)
        return nest.pack_as(self.types, [_component(*row) for row in rows])


def _component(dtype: Any, shape: TensorShape, tensor: Tensor) -> Any:
    if not isinstance(dtype, SparseType):
        return tensor
    indices, values, sizes = raw_ops.DeserializeSparse(
        serialized_sparse=tensor, dtype=dtype.dtype
    )
    indices.set_shape([None, shape.rank])
    sizes.set_shape([shape.rank])
    return SparseTensor(indices, values, sizes)


def convert_components(values: Any) -> Any:
    """The structure with tensors, which may be sparse, as components."""
    return nest.map_structure(_converted, values)


def _converted(value: Any) -> Any:
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    return convert_to_tensor(value)


def components_of(tensors: Any) -> Components:
    """Those of a structure of tensors."""
    types = nest.map_structure(_type_of, tensors)
    return Components(types, nest.map_structure(lambda tensor: tensor.shape, tensors))


def _type_of(tensor: Any) -> Any:
    return SparseType(tensor.dtype) if isinstance(tensor, SparseTensor) else tensor.dtype


def flat_tensors(values: Any, *, are_slices: bool = False) -> List[Tensor]:
    """What a structure of tensors is for the runtime; or so that each slice of it is an element."""
    serialize = raw_ops.SerializeManySparse if are_slices else raw_ops.SerializeSparse
    return [
        serialize(
            sparse_indices=each.indices, sparse_values=each.values, sparse_shape=each.dense_shape
        )
        if isinstance(each, SparseTensor)
        else each
        for each in nest.flatten(values)
    ]


def as_types(output_types: Any, output_classes: Any) -> Any:
    """The dtypes of a structure, of sparse tensors where the classes say so."""
    if output_classes is None:
        return nest.map_structure(
            lambda each: each if isinstance(each, SparseType) else as_dtype(each), output_types
        )
    return nest.map_structure(
        lambda each, kind: SparseType(as_dtype(each)) if kind is SparseTensor else as_dtype(each),
        output_types,
        output_classes,
    )


def output_types_of(types: Any) -> Any:
    """The dtypes, as programs know them."""
    return nest.map_structure(
        lambda each: each.dtype if isinstance(each, SparseType) else each, types
    )


def output_classes_of(types: Any) -> Any:
    """The classes of the components, as programs know them."""
    return nest.map_structure(
        lambda each: SparseTensor if isinstance(each, SparseType) else Tensor, types
    )
