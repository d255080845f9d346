"""Iterators in checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

from troupe._src.checkpoints.saveables import SaveableObject, SaveSpec
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import raw_ops
from troupe._src.set_module import set_module

if TYPE_CHECKING:
    from troupe._src.data.iterator import Iterator


class IteratorSaveable(SaveableObject):
    """Where an iterator is in the elements of its dataset."""

    def __init__(self, handle: Tensor, name: str, state_name: str) -> None:
        with get_default_graph().colocate_with(handle.op), control_dependencies(None):
            state = raw_ops.IteratorSerializeState(iterator=handle)
        super().__init__(handle, [SaveSpec(state, "", state_name)], name)

    def restore(self, restored_tensors: List[Any], restored_shapes: Optional[List[Any]]) -> Any:
        with get_default_graph().colocate_with(self.op.op):
            return raw_ops.IteratorRestoreState(iterator=self.op, state=restored_tensors[0])


@set_module("troupe.data.experimental")
def make_saveable_from_iterator(iterator: Iterator) -> SaveableObject:
    """What saves with a checkpoint where an iterator is, and lets it go on there.

    An iterator that has begun goes on there when the checkpoint is restored, another one when its
    initializer is run after that. The dataset itself is not saved: it is the one of the program,
    and its elements up to there are computed again and left out. So functions that compute random
    numbers without a seed, or that depend on variables, may give others then; a shuffle without a
    seed has the same order. A generator is called again from its beginning.

    Args:
        iterator: The iterator, of any kind.

    Returns:
        An object for the list of a `tf.train.Saver`, or for the collection
        `tf.GraphKeys.SAVEABLE_OBJECTS`, which a saver without a list saves, too.
    """
    handle = iterator._iterator_resource
    return IteratorSaveable(handle, handle.op.name, f"{handle.op.name}-state")
