"""Jacobian matrices, row by row in a loop."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from troupe._src.control_flow.functional import map_fn
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import one_hot, zeros
from troupe._src.tape.record import Record, gradients_of


def rows(
    record: Record, target: Tensor, sources: List[Any], parallel_iterations: Optional[int]
) -> List[Optional[Tensor]]:
    """For each source the derivatives of all elements; None where nothing depends on it."""
    size = array_ops.size(target)

    def initial(at: Tensor) -> Tensor:
        return array_ops.reshape(one_hot(at, size, dtype=target.dtype), array_ops.shape(target))

    found: List[Optional[Tensor]] = []
    for source in sources:
        made = _stacked(record, target, source, size, initial, parallel_iterations)
        if made is not None:
            made = array_ops.reshape(made, _sizes(target, source))
            made.set_shape(target.shape.concatenate(source.shape))
        found.append(made)
    return found


def batch_rows(
    record: Record, target: Tensor, source: Any, parallel_iterations: Optional[int]
) -> Tensor:
    """[batch, ...] of the target, and then an example of the source."""
    batch = array_ops.shape(target)[0]
    count = array_ops.size(target) // batch
    sizes = array_ops.concat([array_ops.shape(target), array_ops.shape(source)[1:]], 0)

    def initial(at: Tensor) -> Tensor:
        row = one_hot(at, count, dtype=target.dtype)
        spread = array_ops.broadcast_to(row, array_ops.stack([batch, count]))
        return array_ops.reshape(spread, array_ops.shape(target))

    made = _stacked(record, target, source, count, initial, parallel_iterations)
    if made is None:
        made = zeros(sizes, source.dtype)
    else:
        made = array_ops.reshape(made, array_ops.stack([count, batch, -1]))
        made = array_ops.reshape(array_ops.transpose(made, [1, 0, 2]), sizes)
    if source.shape.ndims is not None:
        made.set_shape(target.shape.concatenate(source.shape[1:]))
    return made


def zeros_of(target: Tensor, source: Any) -> Tensor:
    """The derivatives with respect to what nothing depends on."""
    made = zeros(_sizes(target, source), source.dtype)
    made.set_shape(target.shape.concatenate(source.shape))
    return made


def _sizes(target: Tensor, source: Any) -> Tensor:
    return array_ops.concat([array_ops.shape(target), array_ops.shape(source)], 0)


def _stacked(
    record: Record,
    target: Tensor,
    source: Any,
    count: Tensor,
    initial: Callable[[Tensor], Tensor],
    parallel_iterations: Optional[int],
) -> Optional[Tensor]:
    """The gradients for each number below the count, one after the other."""
    if gradients_of(record, [target], [source], None)[0] is None:
        return None

    def row(at: Tensor) -> Tensor:
        return convert_to_tensor(gradients_of(record, [target], [source], [initial(at)])[0])

    places = math_ops.range(count)
    stacked: Tensor = map_fn(
        row, places, dtype=source.dtype, parallel_iterations=parallel_iterations or 10
    )
    return stacked
