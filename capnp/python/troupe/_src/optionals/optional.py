"""Values that may be missing, as what comes next in a dataset that may have ended."""

from __future__ import annotations

from typing import Any
from typing import Optional as Maybe

from troupe._src.data.components import (
    Components,
    VariantComponent,
    components_of,
    convert_components,
    flat_tensors,
)
from troupe._src.data.iterator import Iterator
from troupe._src.data.specs import StructureSpec, components_of_structure, structure_of
from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.set_module import set_module


@set_module("troupe.data.experimental")
class Optional(VariantComponent):
    """A value that a step may have or not.

    It is made by `from_value`, `none_from_structure` and `get_next_as_optional`, and can be a
    component of elements of datasets.
    """

    _components: Components

    def __init__(self) -> None:
        raise TypeError("Optional is made by its functions, such as Optional.from_value().")

    @classmethod
    def _make(cls, variant_tensor: Tensor, components: Components) -> Optional:
        optional = cls.__new__(cls)
        optional._variant_tensor = variant_tensor
        optional._components = components
        return optional

    @staticmethod
    def from_value(value: Any) -> Optional:
        """One that has a value.

        Args:
            value: Nested tensors, sparse tensors, datasets, optionals, or what is converted to
                tensors.

        Returns:
            The optional.
        """
        values = convert_components(value)
        variant = raw_ops.OptionalFromValue(components=flat_tensors(values))
        return Optional._make(variant, components_of(values))

    @staticmethod
    def none_from_structure(value_structure: Any) -> Optional:
        """One that has no value.

        Args:
            value_structure: Nested specifications, such as tf.TensorSpec, of the value that it
                would have.

        Returns:
            The optional.

        Raises:
            TypeError: Something in the structure is no such specification.
        """
        components = components_of_structure(value_structure)
        return Optional._make(raw_ops.OptionalNone(), components)

    def has_value(self, name: Maybe[str] = None) -> Tensor:
        """Whether there is a value, a bool scalar."""
        found: Tensor = raw_ops.OptionalHasValue(optional=self._variant_tensor, name=name)
        return found

    def get_value(self, name: Maybe[str] = None) -> Any:
        """The value; a step in which there is none fails with InvalidArgumentError."""
        values = raw_ops.OptionalGetValue(
            optional=self._variant_tensor, name=name, **self._components.attrs()
        )
        return self._components.element(list(values))

    @property
    def value_structure(self) -> Any:
        """The structure of the value, with a specification such as tf.TensorSpec in the place of
        each component.
        """
        return structure_of(self._components)

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self.value_structure)

    def __repr__(self) -> str:
        return f"<Optional of {self.value_structure!r}>"


@set_module("troupe")
class OptionalSpec(StructureSpec):
    """What is known of an optional: the structure of the value that it may have.

    Args:
        value_structure: Nested specifications, such as tf.TensorSpec.
    """

    def __init__(self, value_structure: Any) -> None:
        self._components = components_of_structure(value_structure)

    @property
    def value_type(self) -> Any:
        """The class of optionals."""
        return Optional

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """The specification of an optional.

        Args:
            value: An optional.

        Returns:
            The specification.
        """
        return OptionalSpec(value.value_structure)

    def _of_variant(self, variant: Tensor) -> Any:
        return Optional._make(variant, self._components)


@set_module("troupe.data.experimental")
def get_next_as_optional(iterator: Iterator) -> Optional:
    """The next element of an iterator, or none at the end of its dataset.

    Args:
        iterator: The iterator.

    Returns:
        The optional.
    """
    components = Components(iterator._types, iterator._shapes)
    variant = raw_ops.IteratorGetNextAsOptional(
        iterator=iterator._iterator_resource, **components.attrs()
    )
    return Optional._make(variant, components)
