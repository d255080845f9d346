"""What all datasets have."""

from __future__ import annotations

from typing import Any, NoReturn, Optional, Type, TypeVar

from troupe._src.data.components import (
    Components,
    VariantComponent,
    output_classes_of,
    output_types_of,
)
from troupe._src.data.iterator import (
    Iterator,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from troupe._src.data.specs import DatasetSpec, structure_of
from troupe._src.graph.elements import Tensor
from troupe._src.types.errors import OperatorNotAllowedInGraphError

D = TypeVar("D", bound="DatasetBase")


class DatasetBase(VariantComponent):
    """A tensor that holds a dataset, with what is known of its elements; and iterators over it."""

    _components: Components

    @classmethod
    def _make(cls: Type[D], variant_tensor: Tensor, components: Components) -> D:
        dataset = cls.__new__(cls)
        dataset._variant_tensor = variant_tensor
        dataset._components = components
        return dataset

    @property
    def _types(self) -> Any:
        return self._components.types

    @property
    def _shapes(self) -> Any:
        return self._components.shapes

    @property
    def _flat_structure(self) -> Any:
        return self._components.attrs()

    def _optimized(self) -> Tensor:
        """The tensor of the dataset for who iterates over it."""
        return self._variant_tensor

    # Iterators.

    def __iter__(self) -> NoReturn:
        raise OperatorNotAllowedInGraphError(
            "a dataset can be iterated over in a tf.function only; elsewhere"
            " tf.compat.v1.data.make_one_shot_iterator gives its elements to steps"
        )

    def make_one_shot_iterator(self) -> Iterator:
        """An iterator that begins by itself, once.

        Raises:
            ValueError: The dataset depends on a placeholder, or on state such as a variable.
        """
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: Optional[str] = None) -> Iterator:
        """An iterator that its `initializer` lets begin, any number of times.

        Args:
            shared_name: The name by which other sessions share its state; None for no sharing.

        Returns:
            The iterator.

        Raises:
            ValueError: The dataset is of another graph than the default one.
        """
        return make_initializable_iterator(self, shared_name)

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    @property
    def element_spec(self) -> Any:
        """The structure of an element, with a specification such as tf.TensorSpec in the place of
        each component.
        """
        return structure_of(self._components)

    @property
    def output_types(self) -> Any:
        """The dtypes of the components, in the structure of an element."""
        return output_types_of(self._types)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the components, in the structure of an element."""
        return self._shapes

    @property
    def output_classes(self) -> Any:
        """The classes of the components, in the structure of an element."""
        return output_classes_of(self._types)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} shapes: {self._shapes}, types: {self.output_types}>"
