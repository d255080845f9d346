"""What is known of datasets and their elements, also as specifications of types."""

from __future__ import annotations

from typing import Any, ClassVar, List, Tuple

from troupe._src.data import nest
from troupe._src.data.components import Components, RaggedType, SparseType, VariantSpec
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.ops.sparse_tensor import SparseTensorSpec
from troupe._src.ragged.spec import RaggedTensorSpec
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import ShapeLike, as_shape


def structure_of(components: Components) -> Any:
    """The structure of an element, with a specification for each component."""
    return nest.map_structure(_spec_of, components.types, components.shapes)


def _spec_of(dtype: Any, shape: Any) -> Any:
    if isinstance(dtype, VariantSpec):
        return dtype
    if isinstance(dtype, RaggedType):
        return dtype.spec(shape)
    if isinstance(dtype, SparseType):
        return SparseTensorSpec(shape, dtype.dtype)
    return TensorSpec(shape, dtype)


def components_of_structure(structure: Any) -> Components:
    """The components that such a structure says.

    Raises:
        TypeError: Something in it is no specification of what a component can be.
    """
    pairs = [_type_and_shape(spec) for spec in nest.flatten(structure)]
    types: List[Any] = [dtype for dtype, _ in pairs]
    shapes: List[Any] = [shape for _, shape in pairs]
    return Components(nest.pack_as(structure, types), nest.pack_as(structure, shapes))


def _type_and_shape(spec: Any) -> Tuple[Any, Any]:
    if isinstance(spec, VariantSpec):
        return spec, spec
    if isinstance(spec, RaggedTensorSpec):
        return RaggedType.of(spec), spec.shape
    if isinstance(spec, SparseTensorSpec):
        return SparseType(spec.dtype), spec.shape
    if isinstance(spec, TensorSpec):
        return spec.dtype, spec.shape
    raise TypeError(
        "expected a tf.TensorSpec, a tf.SparseTensorSpec, a tf.RaggedTensorSpec, or that of a "
        f"dataset or an optional, not {spec!r}"
    )


def are_compatible(one: Any, other: Any) -> bool:
    """Whether elements can be of both structures."""
    try:
        nest.assert_same_structure(one, other)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(one), nest.flatten(other))
    return all(mine.is_compatible_with(spec) for mine, spec in pairs)


class StructureSpec(VariantSpec):
    """Of a variant that holds elements of one structure."""

    _components: Components

    @property
    def _structure(self) -> Any:
        return structure_of(self._components)

    def _with(self, structure: Any) -> StructureSpec:
        """One of this kind for another structure."""
        return type(self)(structure)  # type: ignore[call-arg]

    def _fits(self, other: StructureSpec) -> bool:
        return are_compatible(self._structure, other._structure)

    def _common(self, other: StructureSpec) -> StructureSpec:
        mine = self._structure
        nest.assert_same_structure(mine, other._structure)
        return self._with(
            nest.map_structure(
                lambda one, two: one.most_specific_compatible_type(two), mine, other._structure
            )
        )

    def _key(self) -> Any:
        return self._structure

    def __hash__(self) -> int:
        return hash((type(self), *nest.flatten(self._structure)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._structure!r})"


@set_module("troupe.data")
class DatasetSpec(StructureSpec):
    """What is known of a dataset: the structure of its elements.

    Args:
        element_spec: Nested specifications, such as tf.TensorSpec.
        dataset_shape: The shape of a tensor of datasets, which must be a scalar.
    """

    _dataset_class: ClassVar[Any]  # tf.data.Dataset, which is defined later

    def __init__(self, element_spec: Any, dataset_shape: ShapeLike = ()) -> None:
        if as_shape(dataset_shape).rank != 0:
            raise ValueError(f"a component has one dataset, not datasets of shape {dataset_shape}")
        self._components = components_of_structure(element_spec)

    @property
    def value_type(self) -> Any:
        """The class of datasets."""
        return self._dataset_class

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """The specification of a dataset.

        Args:
            value: A dataset.

        Returns:
            The specification.
        """
        return DatasetSpec(value.element_spec)

    def _of_variant(self, variant: Tensor) -> Any:
        return self._dataset_class._make(variant, self._components)


def TensorStructure(dtype: DTypeLike, shape: ShapeLike) -> TensorSpec:  # noqa: N802
    """What is known of a tensor.

    Args:
        dtype: The dtype.
        shape: The static shape.

    Returns:
        The specification.
    """
    return TensorSpec(shape, dtype)


def RaggedTensorStructure(  # noqa: N802
    dtype: DTypeLike, shape: ShapeLike, ragged_rank: int
) -> RaggedTensorSpec:
    """The specification of ragged tensors, by its former name and order of arguments.

    Args:
        dtype: The dtype of the values.
        shape: The static shape.
        ragged_rank: The number of ragged axes.

    Returns:
        A `tf.RaggedTensorSpec`.
    """
    return RaggedTensorSpec(shape, dtype, ragged_rank)


def SparseTensorStructure(dtype: DTypeLike, shape: ShapeLike) -> SparseTensorSpec:  # noqa: N802
    """What is known of a sparse tensor.

    Args:
        dtype: The dtype of the values.
        shape: The static dense shape.

    Returns:
        The specification.
    """
    return SparseTensorSpec(shape, dtype)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of the components, in the structure of an element.

    Args:
        dataset_or_iterator: A dataset or an iterator.

    Returns:
        Nested dtypes.
    """
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of the components, in the structure of an element.

    Args:
        dataset_or_iterator: A dataset or an iterator.

    Returns:
        Nested shapes.
    """
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the components, in the structure of an element.

    Args:
        dataset_or_iterator: A dataset or an iterator.

    Returns:
        Nested classes.
    """
    return dataset_or_iterator.output_classes


def get_structure(dataset_or_iterator: Any) -> Any:
    """What is known of an element.

    Args:
        dataset_or_iterator: A dataset or an iterator.

    Returns:
        The structure of an element, with a specification such as tf.TensorSpec in the place of each
        component.

    Raises:
        TypeError: It is neither.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "`dataset_or_iterator` must be a Dataset or an Iterator, but is "
            f"{type(dataset_or_iterator)}."
        ) from None
