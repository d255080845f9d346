"""Iterators whose elements go to several devices."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.data import nest
from troupe._src.data.components import VariantComponent
from troupe._src.data.dataset import Dataset
from troupe._src.data.generator import generator_variant
from troupe._src.data.iterator import Iterator
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import device
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.optionals.optional import get_next_as_optional
from troupe._src.types import dtypes


class MultiDeviceIterator:
    """An iterator of which each of several devices has elements of its own.

    Element i is of device i modulo the number of devices, whichever of them asks first. Each step
    sends an element to its device.

    Args:
        dataset: The dataset.
        devices: The devices.
        max_buffer_size: How many elements of each device are computed before it asks for them. A
            device that takes none keeps the others waiting.
        prefetch_buffer_size: How many of them each device asks for before a step does.
        source_device: The device of the iterator.
    """

    def __init__(
        self,
        dataset: Dataset,
        devices: Sequence[str],
        max_buffer_size: int = 1,
        prefetch_buffer_size: int = 1,
        source_device: str = "/cpu:0",
    ) -> None:
        self._devices, self._source = list(devices), source_device
        with device(source_device):
            handle = raw_ops.MultiDeviceIterator(
                devices=self._devices, shared_name="", container="", **dataset._flat_structure
            )
            beginning = raw_ops.MultiDeviceIteratorInit(
                dataset=dataset._optimized(),
                multi_device_iterator=handle,
                max_buffer_size=convert_to_tensor(max_buffer_size, dtypes.int64),
            )
            self._iterators: List[Iterator] = []
            for index in range(len(self._devices)):
                own = _elements_of(dataset, handle, index, beginning)
                if prefetch_buffer_size > 0:
                    own = own.prefetch(prefetch_buffer_size)
                self._iterators.append(own.make_initializable_iterator())
        self._initializer = group(*[each.initializer for each in self._iterators])

    @property
    def initializer(self) -> Operation:
        """The operation that begins with the first element."""
        return self._initializer

    @property
    def element_spec(self) -> Any:
        """The structure of an element, with a specification such as tf.TensorSpec in the place of
        each component.
        """
        return self._iterators[0].element_spec

    def get_next(self, device: Optional[str] = None) -> Any:
        """The next elements.

        Args:
            device: One of the devices; None for all.

        Returns:
            The next element of that device, on it; those of all devices in a list.

        Raises:
            ValueError: There is no such device.
        """
        if device is not None:
            return self._next(self._devices.index(device), Iterator.get_next)
        return [self._next(index, Iterator.get_next) for index in range(len(self._devices))]

    def get_next_as_optional(self) -> List[Any]:
        """The next element of each device, or none at the end of the dataset.

        Returns:
            A list of optionals, which are on the device of the iterator.
        """
        return [self._next(index, get_next_as_optional) for index in range(len(self._devices))]

    def _next(self, index: int, get: Callable[[Iterator], Any]) -> Any:
        with device(self._source):
            element = get(self._iterators[index])
        with device(self._devices[index]):
            return nest.map_structure(_copied, element)


def _elements_of(dataset: Dataset, handle: Tensor, index: int, beginning: Tensor) -> Dataset:
    """The elements of one device."""
    components = dataset._components

    def next_body(arguments: List[Tensor]) -> List[Tensor]:
        values = raw_ops.MultiDeviceIteratorGetNextFromShard(
            multi_device_iterator=handle,
            shard_num=convert_to_tensor(index, dtypes.int32),
            incarnation_id=beginning,
            **components.attrs(),
        )
        return list(values)

    variant = generator_variant(
        components, lambda _: [convert_to_tensor(0, dtypes.int64)], next_body, list
    )
    return Dataset._make(variant, components)


def _copied(component: Any) -> Any:
    if isinstance(component, VariantComponent):
        return component  # such as a dataset, which only its own device reads
    if isinstance(component, SparseTensor):
        return SparseTensor(*map(array_ops.identity, component.parts))
    return array_ops.identity(component)
