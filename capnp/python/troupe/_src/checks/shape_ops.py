"""Checks of the shapes of several tensors whose sizes depend on each other."""

from __future__ import annotations

from typing import (
    Any, Callable, Dict, Hashable, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple,
    Union,
)  # fmt: skip

from troupe._src.checks.rank_ops import assert_rank, assert_rank_at_least, assert_rank_in
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, grouping_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.shapes import ShapeLike

_OUTER = (Ellipsis, "*")  # first in a shape: any axes
_ANY = (None, ".")


class _Wanted(NamedTuple):
    """What is wanted of a tensor: the sizes of its first axes, or of its last."""

    tensor: Tensor
    sizes: Tuple[Any, ...]
    are_last: bool

    def axis(self, i: int) -> int:
        return i - len(self.sizes) if self.are_last else i


class _Size(NamedTuple):
    """A size, and the words that say who wants it."""

    value: Union[int, Tensor]
    source: str


def ensure_shape(x: TensorLike, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """The tensor; a step fails where it does not have the shape.

    Args:
        x: a tensor of any dtype.
        shape: sizes, of which some may be unknown, or None for any shape.

    Returns:
        A tensor of the same value, whose shape is known as far as either is.

    Raises:
        ValueError: if the tensor is known to have another shape.
    """
    return gen_ops.ensure_shape(x, shape, name=name)


def assert_shapes(
    shapes: Union[Mapping[Any, Any], Iterable[Tuple[TensorLike, Any]]],
    data: Optional[Sequence[Any]] = None,
    summarize: Optional[int] = None,
    message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:
    """An operation that fails unless the tensors have shapes that go together.

    A shape is a tuple, a list or a text with an item for each axis: a number is that size, None or
    "." any size, and anything else a name for a size that is the same wherever the name is. Where
    the first item is `...` or "*", the others are about the last axes. A scalar has one axis of
    size 1, and so has an empty shape.

    Args:
        shapes: pairs of a tensor and its shape, or a mapping; nothing is checked of a tensor whose
            shape is None.
        data: what the error of a step shows, a list of tensors and texts; None for the sizes that
            differ.
        summarize: how many elements of each tensor are shown, by default 3.
        message: the beginning of the error's text.
        name: the scope of the nodes.

    Returns:
        The operation.

    Raises:
        ValueError: if the check is known to fail, or a shape is none.
    """
    pairs = shapes.items() if isinstance(shapes, Mapping) else shapes
    prefix = f"{message}.  " if message else ""
    with get_default_graph().name_scope(name or "assert_shapes"):
        wanted = [
            _wanted(convert_to_tensor(x), shape, prefix) for x, shape in pairs if shape is not None
        ]
        ranks = [_check_rank(each, data, summarize, message) for each in wanted]
        with get_default_graph().control_dependencies(ranks):
            sizes = _check_sizes(wanted, prefix, data, summarize)
        return grouping_ops.group(*ranks, *sizes)


def _check_sizes(
    all_wanted: List[_Wanted], prefix: str, data: Optional[Sequence[Any]], summarize: Optional[int]
) -> List[Operation]:
    checks = []
    named: Dict[Hashable, _Size] = {}
    for wanted in all_wanted:
        size_now = _sizes_now(wanted.tensor)
        for i, symbol in enumerate(wanted.sizes):
            if symbol in _ANY:
                continue
            axis, number = wanted.axis(i), _number(symbol)
            if number is None and symbol not in named:
                by = f"Specified by tensor {wanted.tensor.name} dimension {axis}"
                named[symbol] = _Size(size_now(axis), by)
                continue
            size = named[symbol] if number is None else _Size(number, "Specified explicitly")
            check = _check_size(wanted.tensor, axis, size_now(axis), size, prefix, data, summarize)
            checks += [] if check is None else [check]
    return checks


def _wanted(tensor: Tensor, shape: Any, prefix: str) -> _Wanted:
    if not (hasattr(shape, "__iter__") or hasattr(shape, "__getitem__")):
        raise ValueError(
            f"{prefix}Tensor {tensor.name}.  Specified shape must be an iterable, "
            f"as a tuple with an item for each axis.  Received specified shape: {shape}"
        )
    sizes = tuple(shape)
    for i, symbol in enumerate(sizes[1:]):
        if symbol in _OUTER:
            raise ValueError(
                f"{prefix}Tensor {tensor.name} specified shape index {i + 1}.  "
                "Symbol `...` or `*` is only allowed as the first entry"
            )
    are_last = bool(sizes) and sizes[0] in _OUTER
    sizes = sizes[1:] if are_last else sizes
    return _Wanted(tensor, sizes or (1,), are_last)


def _number(symbol: Any) -> Optional[int]:
    try:
        return int(symbol)
    except (TypeError, ValueError):
        return None


def _check_rank(
    wanted: _Wanted,
    data: Optional[Sequence[Any]],
    summarize: Optional[int],
    message: Optional[str],
) -> Operation:
    tensor, rank = wanted.tensor, len(wanted.sizes)
    if wanted.are_last:
        return assert_rank_at_least(tensor, rank if rank > 1 else 0, data, summarize, message)
    if rank == 1:
        return assert_rank_in(tensor, [0, 1], data, summarize, message)
    return assert_rank(tensor, rank, data, summarize, message)


def _sizes_now(tensor: Tensor) -> Callable[[int], Any]:
    """Gives the size of an axis: a number where it is known and else a scalar of the step."""
    known = tensor.shape
    if known.rank == 0:
        return lambda axis: 1
    shape = array_ops.shape(tensor)
    if known.rank is not None:
        sizes = known.as_list()
        return lambda axis: shape[axis] if sizes[axis] is None else sizes[axis]
    missing = 1 - gen_ops.minimum(gen_ops.rank(tensor), 1)
    ones = creation_ops.fill(array_ops.stack([missing]), 1)
    of_scalar_too = array_ops.concat([shape, ones], 0)
    return lambda axis: of_scalar_too[axis]


def _check_size(
    tensor: Tensor,
    axis: int,
    now: Any,
    size: _Size,
    prefix: str,
    data: Optional[Sequence[Any]],
    summarize: Optional[int],
) -> Optional[Operation]:
    """Fails at once where both sizes are known; None where they are and agree."""
    if isinstance(now, int) and isinstance(size.value, int):
        if now == size.value:
            return None
        raise ValueError(
            f"{prefix}{size.source}.  Tensor {tensor.name} dimension {axis} must have size "
            f"{size.value}.  Received size {now}, shape {tensor.shape}"
        )
    shown = data if data is not None else [
        f"{prefix}{size.source}", f"Tensor {tensor.name} dimension", axis, "must have size",
        size.value, "Received shape: ", array_ops.shape(tensor),
    ]  # fmt: skip
    return Assert(gen_ops.equal(now, size.value), list(shown), summarize)
