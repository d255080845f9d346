"""The kinds of queues."""

from __future__ import annotations

import hashlib
from typing import Any, Optional

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.random_seed import get_seed
from troupe._src.ops import raw_ops
from troupe._src.queues.queue_base import QueueBase, as_dtypes, as_names, as_shapes
from troupe._src.set_module import set_module
from troupe._src.types import dtypes as dtypes_of
from troupe._src.types.shapes import TensorShape


@set_module("troupe.queue")
class FIFOQueue(QueueBase):
    """A queue that gives elements in the order in which they came."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: Optional[str] = None,
        name: str = "fifo_queue",
    ) -> None:
        """Adds a queue to the graph.

        Args:
            capacity: The number of elements that it has room for.
            dtypes: Of the components of an element.
            shapes: Of the components; without them elements may differ, and `dequeue_many` fails.
            names: Of the components, which elements are then dicts of.
            shared_name: What other sessions on its device know it by.
            name: Of its node.

        Raises:
            ValueError: If a shape is not fully known, or a name is missing.
        """
        types = as_dtypes(dtypes)
        known: Any = as_shapes(shapes)
        labels = as_names(names, types)
        handle = raw_ops.FIFOQueueV2(
            component_types=list(types),
            shapes=known,
            capacity=capacity,
            container=get_default_graph()._scopes.container,
            shared_name=shared_name or "",
            name=name,
        )
        super().__init__(types, known, labels, handle)


@set_module("troupe.queue")
class RandomShuffleQueue(QueueBase):
    """A queue that gives elements in a random order."""

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: Optional[int] = None,
        shared_name: Optional[str] = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        """Adds a queue to the graph.

        Args:
            capacity: As that of FIFOQueue.
            min_after_dequeue: The number of elements that stay in the queue, which is how well it
                mixes them: a dequeue waits for more, unless the queue is closed.
            dtypes: As those of FIFOQueue.
            shapes: As those of FIFOQueue.
            names: As those of FIFOQueue.
            seed: What the random order follows from, together with the seed of the graph.
            shared_name: As that of FIFOQueue.
            name: As that of FIFOQueue.

        Raises:
            ValueError: If a shape is not fully known, or a name is missing.
        """
        types = as_dtypes(dtypes)
        known: Any = as_shapes(shapes)
        labels = as_names(names, types)
        seed1, seed2 = get_seed(seed)
        if (seed1, seed2) != (0, 0) and seed is None and shared_name is not None:
            # Not the number of nodes in the graph, in which programs that share it may differ.
            digest = hashlib.md5(f"{seed1}{shared_name}".encode()).hexdigest()
            seed2 = int(digest[:8], 16) & 0x7FFFFFFF
        handle = raw_ops.RandomShuffleQueueV2(
            component_types=list(types),
            shapes=known,
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed1,
            seed2=seed2,
            container=get_default_graph()._scopes.container,
            shared_name=shared_name or "",
            name=name,
        )
        super().__init__(types, known, labels, handle)


@set_module("troupe.queue")
class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue of elements of different sizes, which batches fill up with zeros."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: Optional[str] = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        """Adds a queue to the graph.

        Args:
            capacity: As that of FIFOQueue.
            dtypes: As those of FIFOQueue.
            shapes: Of all components; a size that is None may differ among elements, and a batch
                pads it to the largest of its elements.
            names: As those of FIFOQueue.
            shared_name: As that of FIFOQueue.
            name: As that of FIFOQueue.

        Raises:
            ValueError: If a shape or a name is missing, or a rank is not known.
        """
        types = as_dtypes(dtypes)
        known: Any = as_shapes(shapes, may_be_partial=True) or []
        labels = as_names(names, types)
        if len(types) != len(known):
            raise ValueError(
                "Shapes must be provided for all components, but received "
                f"{len(types)} dtypes and {len(known)} shapes."
            )
        handle = raw_ops.PaddingFIFOQueueV2(
            component_types=list(types),
            shapes=known,
            capacity=capacity,
            container=get_default_graph()._scopes.container,
            shared_name=shared_name or "",
            name=name,
        )
        super().__init__(types, known, labels, handle)


@set_module("troupe.queue")
class PriorityQueue(QueueBase):
    """A queue that gives the element with the smallest priority, its first component."""

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: Optional[str] = None,
        name: str = "priority_queue",
    ) -> None:
        """Adds a queue to the graph.

        Args:
            capacity: As that of FIFOQueue.
            types: The dtypes of the components after the priority, which is an int64 scalar.
            shapes: The shapes of the components after the priority, or None.
            names: Of all components, also of the priority.
            shared_name: As that of FIFOQueue.
            name: As that of FIFOQueue.

        Raises:
            ValueError: If a shape is not fully known, or a name is missing.
        """
        others = as_dtypes(types)
        known: Any = as_shapes(shapes)
        handle = raw_ops.PriorityQueueV2(
            component_types=list(others),
            shapes=known or [],
            capacity=capacity,
            container=get_default_graph()._scopes.container,
            shared_name=shared_name or "",
            name=name,
        )
        all_shapes = [TensorShape([]), *known] if known else None
        super().__init__([dtypes_of.int64, *others], all_shapes, names, handle)
