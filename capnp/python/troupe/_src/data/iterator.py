"""Iterators over datasets."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from troupe._src.data import nest
from troupe._src.data.components import (
    Components,
    VariantSpec,
    as_types,
    output_classes_of,
    output_types_of,
)
from troupe._src.data.factory import add_factory
from troupe._src.data.saved_iterators import IteratorSaveable
from troupe._src.data.specs import structure_of
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import as_shape

if TYPE_CHECKING:
    from troupe._src.data.dataset_base import DatasetBase

_FEW_CALLS = 32
_MANY_CALLS = (
    "An iterator's get_next() is called many times. Each call adds nodes to the graph: call it "
    "once, and use its result in as many steps as there are elements."
)


def shapes_up_to(output_types: Any, output_shapes: Any) -> Any:
    """The shapes in the structure of the types; unknown ones where there are none."""
    flat: List[Any] = nest.flatten(output_types)
    given: List[Any] = [None] * len(flat)
    if output_shapes is not None:
        try:
            given = nest.flatten_up_to(output_types, output_shapes)
        except ValueError as error:
            raise TypeError(f"types and shapes have different structures: {error}") from None
    shapes = [
        each if isinstance(each, VariantSpec) else as_shape(shape)
        for each, shape in zip(flat, given)
    ]
    return nest.pack_as(output_types, shapes)


@set_module("troupe.data")
class Iterator:
    """A place in the elements of a dataset, which steps advance."""

    def __init__(
        self,
        iterator_resource: Tensor,
        initializer: Optional[Operation],
        output_types: Any,
        output_shapes: Any,
        output_classes: Any,
    ) -> None:
        """Stands for an iterator of the graph.

        Args:
            iterator_resource: Its handle.
            initializer: The operation that lets it begin; None for none.
            output_types: The dtypes of the components, in the structure of an element.
            output_shapes: Their shapes, in the same structure; by default unknown.
            output_classes: tf.Tensor or tf.SparseTensor, in the same structure; by default all are
                tensors.
        """
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._types = as_types(output_types, output_classes)
        self._shapes = shapes_up_to(self._types, output_shapes)
        self._get_next_calls = 0
        self._string_handle = raw_ops.IteratorToStringHandle(resource_handle=iterator_resource)
        iterator_resource.graph.add_to_collection(GraphKeys._ITERATORS, iterator_resource)

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: Optional[str] = None,
        output_classes: Any = None,
    ) -> Iterator:
        """An iterator without a dataset: `make_initializer` gives it one of these components.

        Args:
            output_types: The dtypes of the components, in the structure of an element.
            output_shapes: Their shapes, in the same structure; by default unknown.
            shared_name: The name by which other sessions share its state; None for no sharing.
            output_classes: tf.Tensor or tf.SparseTensor, in the same structure; by default all are
                tensors.

        Returns:
            The iterator.
        """
        types = as_types(output_types, output_classes)
        shapes = shapes_up_to(types, output_shapes)
        handle = raw_ops.IteratorV2(
            container="",
            shared_name=shared_name or "",
            **Components(types, shapes).attrs(),
        )
        return Iterator(handle, None, types, shapes, None)

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: Any = None,
    ) -> Iterator:
        """The iterator that a string stands for.

        Args:
            string_handle: A string scalar that `string_handle()` of the iterator has given.
            output_types: The dtypes of the components, in the structure of an element.
            output_shapes: Their shapes, in the same structure; by default unknown.
            output_classes: tf.Tensor or tf.SparseTensor, in the same structure; by default all are
                tensors.

        Returns:
            The iterator.
        """
        types = as_types(output_types, output_classes)
        shapes = shapes_up_to(types, output_shapes)
        resource = raw_ops.IteratorFromStringHandleV2(
            string_handle=convert_to_tensor(string_handle, dtypes.string),
            **Components(types, shapes).attrs(),
        )
        return Iterator(resource, None, types, shapes, None)

    @property
    def initializer(self) -> Operation:
        """Lets the iterator begin with the first element.

        Raises:
            ValueError: The iterator begins by itself, or has no dataset.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: DatasetBase, name: Optional[str] = None) -> Operation:
        """An operation that lets the iterator begin with the first element of the dataset.

        Args:
            dataset: The dataset.

        Returns:
            The operation.

        Raises:
            TypeError: The components of the dataset have other types or shapes.
        """
        nest.assert_same_structure(self._types, dataset._types)
        for mine, given in zip(nest.flatten(self._types), nest.flatten(dataset._types)):
            if mine != given:
                raise TypeError(
                    f"Expected output types {self._types!r} but got dataset with output types "
                    f"{dataset._types!r}."
                )
        for mine, given in zip(nest.flatten(self._shapes), nest.flatten(dataset._shapes)):
            if not _may_be(given, mine):
                raise TypeError(
                    f"Expected output shapes compatible with {self._shapes!r} but got dataset "
                    f"with output shapes {dataset._shapes!r}."
                )
        operation: Operation = raw_ops.MakeIterator(
            dataset=dataset._optimized(), iterator=self._iterator_resource, name=name
        )
        return operation

    def get_next(self, name: Optional[str] = None) -> Any:
        """The next element; a step in which there is none fails with OutOfRangeError.

        Each call adds nodes to the graph, so that many calls give warnings.
        """
        self._get_next_calls += 1
        if self._get_next_calls > _FEW_CALLS:
            warnings.warn(_MANY_CALLS, stacklevel=2)
        components = Components(self._types, self._shapes)
        tensors = raw_ops.IteratorGetNext(
            iterator=self._iterator_resource, name=name, **components.attrs()
        )
        return components.element(list(tensors))

    def string_handle(self, name: Optional[str] = None) -> Tensor:
        """A string that stands for the iterator, for `from_string_handle`."""
        if name is None:
            return self._string_handle
        handle: Tensor = raw_ops.IteratorToStringHandle(
            resource_handle=self._iterator_resource, name=name
        )
        return handle

    @property
    def element_spec(self) -> Any:
        """The structure of an element, with a specification such as tf.TensorSpec in the place of
        each component.
        """
        return structure_of(Components(self._types, self._shapes))

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

    def _gather_saveables_for_checkpoint(self) -> Dict[str, Any]:
        """What a checkpoint of objects saves: one key by the same node each time."""
        known: Dict[str, IteratorSaveable] = vars(self).setdefault("_saved_by_key", {})

        def saved(name: str) -> IteratorSaveable:
            if name not in known:
                known[name] = IteratorSaveable(self._iterator_resource, name, f"{name}_STATE")
            return known[name]

        return {"ITERATOR": saved}


def _may_be(given: Any, wanted: Any) -> bool:
    """Whether a tensor of the given shape may have the wanted one."""
    return isinstance(wanted, VariantSpec) or bool(given.is_compatible_with(wanted))


def make_initializable_iterator(
    dataset: DatasetBase, shared_name: Optional[str] = None
) -> Iterator:
    """An iterator that `initializer` lets begin.

    Args:
        dataset: The dataset.
        shared_name: The name by which other sessions share its state; None for no sharing.

    Returns:
        The iterator.

    Raises:
        ValueError: The dataset is of another graph than the default one.
    """
    graph = get_default_graph()
    if dataset._variant_tensor.graph is not graph:
        raise ValueError(
            "The dataset is of another graph than the default one, in which the iterator would be."
        )
    with graph.colocate_with(dataset._variant_tensor):
        handle = raw_ops.IteratorV2(
            container="", shared_name=shared_name or "", **dataset._flat_structure
        )
        initializer = raw_ops.MakeIterator(dataset=dataset._optimized(), iterator=handle)
    return Iterator(handle, initializer, dataset._types, dataset._shapes, None)


def make_one_shot_iterator(dataset: DatasetBase) -> Iterator:
    """An iterator that begins by itself, once.

    Args:
        dataset: The dataset.

    Returns:
        The iterator.

    Raises:
        ValueError: The dataset depends on a placeholder, or on state such as a variable.
    """
    with get_default_graph().colocate_with(dataset._variant_tensor):
        handle = raw_ops.OneShotIterator(
            dataset_factory=add_factory(dataset._optimized()), **dataset._flat_structure
        )
    return Iterator(handle, None, dataset._types, dataset._shapes, None)
