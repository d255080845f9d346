"""The types and shapes of the components of elements.

A sparse tensor is one string component of a dataset: the strings of its three tensors, which
batches have in rows. Functions and iterators give it as a SparseTensor again. A ragged tensor is a
variant, of which batches have a vector. A dataset, or an optional value, is a variant without such
vectors.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, NamedTuple, Sequence, Type

from troupe._src.data import nest
from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.ragged.spec import RaggedTensorSpec
from troupe._src.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from troupe._src.ragged.value import RaggedTensorValue
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.types.shapes import TensorShape
from troupe._src.types.type_spec import TypeSpec


@dataclasses.dataclass(frozen=True)
class SparseType:
    """Stands in a structure of dtypes for a sparse tensor, whose values have this one."""

    dtype: DType


@dataclasses.dataclass(frozen=True)
class RaggedType:
    """Stands in a structure of dtypes for a ragged tensor."""

    dtype: DType
    ragged_rank: int
    splits_dtype: DType

    @staticmethod
    def of(spec: RaggedTensorSpec) -> RaggedType:
        """That of a specification."""
        return RaggedType(spec.dtype, spec.ragged_rank, spec.row_splits_dtype)

    def spec(self, shape: Any) -> RaggedTensorSpec:
        """The specification of one of such a shape."""
        return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self.splits_dtype)

    def deeper(self, axes: int) -> RaggedType:
        """That of a batch of such tensors, or of a row for -1."""
        return dataclasses.replace(self, ragged_rank=self.ragged_rank + axes)


class VariantSpec(TypeSpec):
    """Stands in structures of dtypes, shapes and classes for what a variant holds."""

    def _of_variant(self, variant: Tensor) -> Any:
        """The value that such a tensor is."""
        raise NotImplementedError(type(self).__name__)


class VariantComponent:
    """What is a variant for the runtime: a dataset, or an optional value."""

    _variant_tensor: Tensor

    @property
    def _type_spec(self) -> VariantSpec:
        raise NotImplementedError(type(self).__name__)


class Components(NamedTuple):
    """Two structures of the form of an element: dtypes and shapes."""

    types: Any
    shapes: Any

    def flat_types(self) -> List[Any]:
        """The dtypes of the tensors that an element is for the runtime."""
        return [_runtime_type(each) for each in nest.flatten(self.types)]

    def flat_shapes(self) -> List[Any]:
        """The shapes of these tensors."""
        pairs = zip(nest.flatten(self.types), nest.flatten(self.shapes))
        return [_runtime_shape(each, shape) for each, shape in pairs]

    def attrs(self) -> Dict[str, Any]:
        """As attributes of an op."""
        return {"output_types": self.flat_types(), "output_shapes": self.flat_shapes()}

    def element(self, tensors: Sequence[Tensor]) -> Any:
        """The element that these tensors are."""
        rows = zip(nest.flatten(self.types), nest.flatten(self.shapes), tensors)
        return nest.pack_as(self.types, [_component(*row) for row in rows])


def _runtime_type(each: Any) -> DType:
    if isinstance(each, (VariantSpec, RaggedType)):
        return dtypes.variant
    found: DType = dtypes.string if isinstance(each, SparseType) else each
    return found


def _runtime_shape(each: Any, shape: Any) -> TensorShape:
    if isinstance(each, VariantSpec):
        return TensorShape([])
    return TensorShape(None) if isinstance(each, (SparseType, RaggedType)) else shape


def _component(dtype: Any, shape: TensorShape, tensor: Tensor) -> Any:
    if isinstance(dtype, VariantSpec):
        return dtype._of_variant(tensor)
    if isinstance(dtype, RaggedType):
        return dtype.spec(shape)._from_compatible_tensor_list([tensor])
    if not isinstance(dtype, SparseType):
        return tensor
    indices, values, sizes = raw_ops.DeserializeSparse(
        serialized_sparse=tensor, dtype=dtype.dtype
    )
    indices.set_shape([None, shape.rank])
    sizes.set_shape([shape.rank])
    return SparseTensor(indices, values, sizes)


def convert_components(values: Any) -> Any:
    """The structure with tensors, which may be sparse or ragged, as components."""
    return nest.map_structure(_converted, values)


def _converted(value: Any) -> Any:
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    if isinstance(value, (RaggedTensor, RaggedTensorValue)):
        return convert_to_tensor_or_ragged_tensor(value)
    return value if isinstance(value, VariantComponent) else convert_to_tensor(value)


def components_of(tensors: Any) -> Components:
    """Those of a structure of tensors."""
    types = nest.map_structure(_type_of, tensors)
    return Components(types, nest.map_structure(_shape_of, tensors))


def _shape_of(tensor: Any) -> Any:
    return tensor._type_spec if isinstance(tensor, VariantComponent) else tensor.shape


def _type_of(tensor: Any) -> Any:
    if isinstance(tensor, VariantComponent):
        return tensor._type_spec
    if isinstance(tensor, RaggedTensor):
        return RaggedType.of(RaggedTensorSpec.from_value(tensor))
    return SparseType(tensor.dtype) if isinstance(tensor, SparseTensor) else tensor.dtype


def flat_tensors(values: Any, *, are_slices: bool = False) -> List[Tensor]:
    """What a structure of tensors is for the runtime; or so that each slice of it is an element."""
    serialize = raw_ops.SerializeManySparse if are_slices else raw_ops.SerializeSparse
    flat: List[Tensor] = []
    for each in nest.flatten(values):
        if isinstance(each, SparseTensor):
            indices, elements, sizes = each.parts
            each = serialize(sparse_indices=indices, sparse_values=elements, sparse_shape=sizes)
        if isinstance(each, RaggedTensor):
            each = each._to_variant(batched_input=are_slices)
        flat.append(each._variant_tensor if isinstance(each, VariantComponent) else each)
    return flat


def as_types(output_types: Any, output_classes: Any) -> Any:
    """The dtypes of a structure, of sparse tensors where the classes say so."""
    if output_classes is None:
        return nest.map_structure(lambda each: _as_type(each, None), output_types)
    return nest.map_structure(_as_type, output_types, output_classes)


def _as_type(each: Any, kind: Any) -> Any:
    if isinstance(kind, VariantSpec):
        return kind
    if isinstance(kind, RaggedTensorSpec):
        return RaggedType.of(kind)
    if isinstance(each, (SparseType, RaggedType, VariantSpec)):
        return each
    return SparseType(as_dtype(each)) if kind is SparseTensor else as_dtype(each)


def output_types_of(types: Any) -> Any:
    """The dtypes, as programs know them."""
    return nest.map_structure(
        lambda each: each.dtype if isinstance(each, (SparseType, RaggedType)) else each, types
    )


def output_classes_of(types: Any) -> Any:
    """The classes of the components, as programs know them."""
    return nest.map_structure(_class_of, types)


def _class_of(each: Any) -> Any:
    if isinstance(each, VariantSpec):
        return each
    if isinstance(each, RaggedType):
        return each.spec(None)
    return SparseTensor if isinstance(each, SparseType) else Tensor


def most_specific(one: Any, other: Any) -> Any:
    """What is known of the shape of components of either shape, whose types are the same."""
    return one if isinstance(one, VariantSpec) else one.most_specific_compatible_shape(other)


def stacked(types: Any, axes: int = 1) -> Any:
    """The types of the components of batches, or for -1 those of slices."""
    return nest.map_structure(
        lambda each: each.deeper(axes) if isinstance(each, RaggedType) else each, types
    )


def check_can_be_stacked(types: Any, error: Type[Exception], what: str) -> None:
    """Fails where a component is a variant: batches and slices have tensors only."""
    for each in nest.flatten(types):
        if isinstance(each, VariantSpec):
            raise error(f"{what} with components that are {each} is not supported")
