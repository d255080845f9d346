"""What the queues of all kinds have in common: enqueues, dequeues, and their closing."""

from __future__ import annotations

import functools
from typing import Any, List, Optional, Sequence

from troupe._src.control_flow.conditional import switch_case
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import get_static_value, identity
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import gather
from troupe._src.representation import represent
from troupe._src.set_module import set_module
from troupe._src.types.dimensions import Dimension
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape


@set_module("troupe.queue")
class QueueBase:
    """A queue of elements, which outlives the steps that fill and empty it.

    An element is a tuple of tensors, the components. Its operations wait, within their steps, until
    the queue has room or elements; they fail once it is closed. The classes of the kinds of queues
    add one to the graph; this class stands for one that exists.
    """

    def __init__(
        self,
        dtypes: Sequence[DTypeLike],
        shapes: Optional[Sequence[ShapeLike]],
        names: Optional[Sequence[str]],
        queue_ref: Tensor,
    ) -> None:
        """Stands for the queue of a handle.

        Args:
            dtypes: Of the components.
            shapes: Of the components, as far as they are known; None if none is.
            names: Of the components, which elements are then dicts of; or None.
            queue_ref: The handle.

        Raises:
            ValueError: If there are not as many shapes or names as dtypes.
        """
        self._dtypes = [as_dtype(dtype) for dtype in dtypes]
        if shapes is not None and len(shapes) != len(dtypes):
            raise ValueError("Queue shapes must have the same length as dtypes")
        self._shapes = [TensorShape(shape) for shape in shapes or [None] * len(dtypes)]
        if names is not None and len(names) != len(dtypes):
            raise ValueError("Queue names must have the same length as dtypes")
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    def __repr__(self) -> str:
        # A queue that stands for one of several has none of the attributes.
        attr = self._queue_ref.op._attr
        fields = {
            "name": self.name,
            "shared_name": (attr("shared_name") or b"").decode() or None,
            "capacity": attr("capacity"),
            "min_after_dequeue": attr("min_after_dequeue"),
            "dtypes": [dtype.name for dtype in self._dtypes],
        }
        return represent(self, fields)

    @staticmethod
    def from_list(index: TensorLike, queues: List[QueueBase]) -> QueueBase:
        """The queue of that number: which one it is, each step may say anew.

        Args:
            index: An int scalar; InvalidArgumentError in the step where no queue has that number.
            queues: Queues whose elements have the same dtypes and names.

        Returns:
            A queue, with the shapes that all of them have in common.

        Raises:
            TypeError: If they are no list of such queues.
        """
        if not queues or not isinstance(queues, list):
            raise TypeError("A list of queues expected")
        if not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [
            functools.reduce(TensorShape.most_specific_compatible_shape, component)
            for component in zip(*(queue.shapes for queue in queues))
        ]
        selected = _select([queue.queue_ref for queue in queues], index)
        return QueueBase(first.dtypes, shapes, first.names, selected)

    @property
    def queue_ref(self) -> Tensor:
        """The handle."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the node that makes it."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> List[DType]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> List[TensorShape]:
        """The shapes of the components, as far as they are known."""
        return self._shapes

    @property
    def names(self) -> Optional[Sequence[str]]:
        """The names of the components, if they have any."""
        return self._names

    def _components(self, vals: Any, name: str) -> List[Tensor]:
        """The components as tensors; constants are in the scope of the operation of that name."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: ({sorted(vals, key=str)}), Queue: ({sorted(self._names)})"
                )
            vals = [vals[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        if not isinstance(vals, (list, tuple)):
            vals = [vals]
        with _scope_of(name):
            return [
                convert_to_tensor(value, dtype, name=f"component_{number}")
                for number, (value, dtype) in enumerate(zip(vals, self._dtypes))
            ]

    def enqueue(self, vals: Any, name: Optional[str] = None) -> Operation:
        """The operation that puts an element into the queue, and waits while that is full.

        In the step it is a CancelledError if the queue is closed, or is closed with
        `cancel_pending_enqueues` meanwhile.

        Args:
            vals: The components: a list, a dict if they have names, or the only one itself.
            name: Of the operation.

        Returns:
            The operation.

        Raises:
            ValueError: If they do not have the dtypes, shapes or names of the components.
        """
        name = name or f"{self._name}_enqueue"
        components = self._components(vals, name)
        for component, shape in zip(components, self._shapes):
            component.shape.assert_is_compatible_with(shape)
        return raw_ops.QueueEnqueueV2(handle=self._queue_ref, components=components, name=name)

    def enqueue_many(self, vals: Any, name: Optional[str] = None) -> Operation:
        """The operation that puts the rows of the components into the queue, an element each.

        Args:
            vals: As for `enqueue`, but with one more axis, of the same size, before the others.
            name: Of the operation.

        Returns:
            The operation.

        Raises:
            ValueError: If they do not have the dtypes, shapes or names of the components.
        """
        name = name or f"{self._name}_EnqueueMany"
        components = self._components(vals, name)
        rows = Dimension(None)
        for component, shape in zip(components, self._shapes):
            rows = rows.merge_with(component.shape.with_rank_at_least(1)[0])
            component.shape[1:].assert_is_compatible_with(shape)
        return raw_ops.QueueEnqueueManyV2(handle=self._queue_ref, components=components, name=name)

    def _result(self, components: List[Tensor], shapes: Sequence[TensorShape]) -> Any:
        for component, shape in zip(components, shapes):
            component.set_shape(shape)
        if self._names:
            return dict(zip(self._names, components))
        return components[0] if len(components) == 1 else components

    def dequeue(self, name: Optional[str] = None) -> Any:
        """An element, which the step takes from the queue; it waits for one.

        In the step it is an OutOfRangeError if the queue is closed and empty.

        Args:
            name: Of the operation.

        Returns:
            The components: a list, a dict if they have names, or the only one itself.
        """
        components = raw_ops.QueueDequeueV2(
            handle=self._queue_ref,
            component_types=list(self._dtypes),
            name=name or f"{self._name}_Dequeue",
        )
        return self._result(components, self._shapes)

    def dequeue_many(self, n: TensorLike, name: Optional[str] = None) -> Any:
        """A batch of `n` elements: their components, stacked along a new first axis.

        In the step it is an OutOfRangeError if the queue is closed and has fewer than `n`.

        Args:
            n: An int scalar.
            name: Of the operation.

        Returns:
            The components, as those of `dequeue`, with a first axis of size `n`.
        """
        components = raw_ops.QueueDequeueManyV2(
            handle=self._queue_ref,
            n=n,
            component_types=list(self._dtypes),
            name=name or f"{self._name}_DequeueMany",
        )
        known = get_static_value(components[0].op.inputs[1])
        rows = TensorShape([None if known is None else int(known)])
        return self._result(components, [rows.concatenate(shape) for shape in self._shapes])

    def dequeue_up_to(self, n: TensorLike, name: Optional[str] = None) -> Any:
        """As `dequeue_many`, but the batch is smaller if the queue is closed and has fewer.

        Args:
            n: An int scalar.
            name: Of the operation.

        Returns:
            The components, with a first axis of a size from 1 to `n`.
        """
        components = raw_ops.QueueDequeueUpToV2(
            handle=self._queue_ref,
            n=n,
            component_types=list(self._dtypes),
            name=name or f"{self._name}_DequeueUpTo",
        )
        rows = TensorShape([None])
        return self._result(components, [rows.concatenate(shape) for shape in self._shapes])

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> Operation:
        """The operation that closes the queue: enqueues fail then, and dequeues once it is empty.

        Args:
            cancel_pending_enqueues: Whether enqueues that wait fail, too, in place of going on.
            name: Of the operation.

        Returns:
            The operation.
        """
        return raw_ops.QueueCloseV2(
            handle=self._queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )

    def is_closed(self, name: Optional[str] = None) -> Tensor:
        """Whether the queue is closed: a bool scalar."""
        return raw_ops.QueueIsClosedV2(
            handle=self._queue_ref, name=name or f"{self._name}_Is_Closed"
        )

    def size(self, name: Optional[str] = None) -> Tensor:
        """The number of elements in the queue: an int32 scalar."""
        return raw_ops.QueueSizeV2(handle=self._queue_ref, name=name or f"{self._name}_Size")


def _scope_of(name: str) -> Any:
    """The name scope "name/", which leaves the name itself to a node."""
    graph = get_default_graph()
    outer = graph.get_name_scope()
    inner = name if name.endswith("/") or not outer else f"{outer}/{name}"
    return graph.name_scope(f"{inner.rstrip('/')}/")


def _select(handles: List[Tensor], index: Any) -> Tensor:
    """The handle of that number. Handles cannot be stacked, so that branches choose."""
    numbers = list(range(len(handles)))
    number = gather(numbers, index)  # refuses what no queue has
    branches = [functools.partial(identity, handle) for handle in handles]
    selected: Tensor = switch_case(number, branches) if len(handles) > 1 else branches[0]()
    return selected


def as_dtypes(given: Any) -> List[DType]:
    """The dtypes of components; that of the only one may stand for itself."""
    items = given if isinstance(given, (list, tuple)) else [given]
    return [as_dtype(dtype) for dtype in items]


def as_shapes(shapes: Any, may_be_partial: bool = False) -> Optional[List[TensorShape]]:
    """The shapes of components; that of the only one may stand for itself.

    Args:
        shapes: None, a shape, or shapes.
        may_be_partial: Whether sizes may be unknown; then `shapes` must be shapes.

    Raises:
        TypeError: If they are no shapes.
        ValueError: If a size is not known that must be.
    """
    if may_be_partial:
        if not isinstance(shapes, (list, tuple)) or not shapes or _is_shape(shapes):
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (list, tuple)):
        raise TypeError("shapes must be a TensorShape or a list or tuple of TensorShapes.")
    if _is_shape(shapes):
        shapes = [shapes]
    found = [as_shape(shape) for shape in shapes]
    if not may_be_partial and not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    if any(shape.rank is None for shape in found):
        raise ValueError(f"All shapes must have a defined rank: {found}")
    return found


def _is_shape(sizes: Sequence[Any]) -> bool:
    return all(size is None or isinstance(size, int) for size in sizes)


def as_names(names: Any, dtypes: Sequence[DType]) -> Optional[List[str]]:
    """The names of components; ValueError if there are not as many as dtypes."""
    if names is None:
        return None
    found = list(names) if isinstance(names, (list, tuple)) else [names]
    if len(found) != len(dtypes):
        raise ValueError("List of names must have the same length as the list of dtypes")
    return found
