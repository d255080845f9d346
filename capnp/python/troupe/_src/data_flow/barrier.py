"""Barriers, where elements come in parts and are taken whole."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import get_static_value
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape


class TakenElements(NamedTuple):
    """The elements that were taken: what their insertions are numbered by, keys and components."""

    indices: Tensor
    keys: Tensor
    values: List[Tensor]


class Barrier:
    """A map from keys to elements of several components, which come one after the other.

    An element whose components are all there is ready, and can be taken. Ready elements are taken
    in the order in which their first components came.
    """

    def __init__(
        self,
        types: Any,
        shapes: Optional[Sequence[ShapeLike]] = None,
        shared_name: Optional[str] = None,
        name: str = "barrier",
    ) -> None:
        """Adds a barrier to the graph.

        Args:
            types: The dtypes of the components, or of the only one.
            shapes: Of the components, all of them known; or None.
            shared_name: What other sessions know it by.
            name: Of its node.

        Raises:
            ValueError: If a shape is not fully known or has no elements.
        """
        listed = types if isinstance(types, (list, tuple)) else [types]
        self._types: List[DType] = [as_dtype(dtype) for dtype in listed]
        self._shapes = _as_shapes(shapes, len(self._types))
        for i, shape in enumerate(self._shapes):
            if shape.num_elements() == 0:
                raise ValueError(
                    f"Empty tensors are not supported, but received shape '{shape}' at index {i}"
                )
        self._barrier_ref: Tensor = raw_ops.Barrier(
            component_types=list(self._types),
            shapes=list(self._shapes),
            shared_name=shared_name or "",
            name=name,
        )
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> Tensor:
        """The handle."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of its node."""
        return self._barrier_ref.op.name

    def insert_many(
        self, component_index: int, keys: Any, values: Any, name: Optional[str] = None
    ) -> Operation:
        """Sets one component of the elements with these keys.

        Args:
            component_index: The component.
            keys: A vector of strings.
            values: A row for each key.
            name: Of the operation.

        Returns:
            The operation. In the step, InvalidArgumentError where an element has that component
            already, and CancelledError for new keys once the barrier is closed.
        """
        return raw_ops.BarrierInsertMany(
            handle=self._barrier_ref,
            keys=keys,
            values=convert_to_tensor(values, self._types[component_index]),
            component_index=component_index,
            name=name or f"{self._name}_BarrierInsertMany",
        )

    def take_many(
        self,
        num_elements: Any,
        allow_small_batch: bool = False,
        timeout: Optional[int] = None,
        name: Optional[str] = None,
    ) -> TakenElements:
        """Takes so many ready elements, as soon as they are there.

        Args:
            num_elements: An int32 scalar.
            allow_small_batch: Whether a closed barrier gives what is left.
            timeout: Not supported; None.
            name: Of the operation.

        Returns:
            The tensors (indices, keys, [a tensor for each component]). In the step, OutOfRangeError
            where the barrier is closed and there are too few.
        """
        outputs: List[Tensor] = raw_ops.BarrierTakeMany(
            handle=self._barrier_ref,
            num_elements=num_elements,
            component_types=list(self._types),
            allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout,
            name=name or f"{self._name}_BarrierTakeMany",
        )
        known = None if allow_small_batch else get_static_value(outputs[0].op.inputs[1])
        count = None if known is None else int(known)
        for output, shape in zip(outputs, [TensorShape([]), TensorShape([]), *self._shapes]):
            sizes = None if shape.rank is None else [count, *shape.as_list()]
            output.set_shape(TensorShape(sizes))
        return TakenElements(outputs[0], outputs[1], outputs[2:])

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> Operation:
        """Lets no new keys in.

        Args:
            cancel_pending_enqueues: Whether to refuse missing components, too, and to drop the
                elements that lack some.
            name: Of the operation.

        Returns:
            The operation. In the step, CancelledError where the barrier is closed already.
        """
        return raw_ops.BarrierClose(
            handle=self._barrier_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_BarrierClose",
        )

    def ready_size(self, name: Optional[str] = None) -> Tensor:
        """The number of elements that are ready: an int32 scalar."""
        return raw_ops.BarrierReadySize(
            handle=self._barrier_ref, name=name or f"{self._name}_BarrierReadySize"
        )

    def incomplete_size(self, name: Optional[str] = None) -> Tensor:
        """The number of elements that lack components: an int32 scalar."""
        return raw_ops.BarrierIncompleteSize(
            handle=self._barrier_ref, name=name or f"{self._name}_BarrierIncompleteSize"
        )


def _as_shapes(shapes: Any, count: int) -> List[TensorShape]:
    if shapes is None:
        return [TensorShape(None)] * count
    # A single component may be given by its shape alone, as in `shapes=()`.
    is_one = isinstance(shapes, TensorShape) or not any(
        isinstance(shape, (list, tuple, TensorShape)) for shape in shapes
    )
    listed = [TensorShape(shape) for shape in ([shapes] if is_one else shapes)]
    if len(listed) != count:
        raise ValueError(f"there are {len(listed)} shapes for {count} components")
    if not all(shape.is_fully_defined() for shape in listed):
        raise ValueError(f"All shapes must be fully defined: {listed}")
    return listed
