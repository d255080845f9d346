"""Losses of probabilities and of logits, as Keras's backend defines them."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.keras.settings import epsilon
from troupe._src.nn import cross_entropies
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.clip_ops import clip_by_value
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.math_ops import cast, reduce_sum
from troupe._src.types import dtypes


def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross entropy of distributions along an axis.

    Args:
        target: Probabilities of the classes.
        output: Probabilities of the same shape, or logits.
        from_logits: Whether these are logits. Of the output of a softmax they are taken, too, as
            that is more exact.
        axis: The axis of the classes.

    Returns:
        The losses, in the shape without that axis.

    Raises:
        ValueError: There is no such axis.
    """
    output = convert_to_tensor(output)
    axis = _checked_axis(output, axis)
    logits = output if from_logits else _input_of(output, "Softmax")
    if logits is not None:
        return cross_entropies.softmax_cross_entropy_with_logits_v2(
            labels=target, logits=logits, axis=axis
        )
    shares = output / reduce_sum(output, axis, True)
    return -reduce_sum(target * gen_ops.log(_kept_off_0_and_1(shares)), axis)


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The same for targets that are indices of classes.

    Args:
        target: Integers, in the shape of the output without the axis, or with 1 there.
        output: Probabilities, or logits.
        from_logits: As for `categorical_crossentropy`.
        axis: The axis of the classes.

    Returns:
        The losses, in the shape without that axis.

    Raises:
        ValueError: There is no such axis.
    """
    output = convert_to_tensor(output)
    axis = _checked_axis(output, axis)
    logits = output if from_logits else _input_of(output, "Softmax")
    if logits is None:
        logits = gen_ops.log(_kept_off_0_and_1(output))
    rank = logits.shape.rank
    if rank is not None and axis not in (-1, rank - 1):
        axis %= rank
        logits = array_ops.transpose(logits, [*range(axis), *range(axis + 1, rank), axis])
    sizes = array_ops.shape(logits)
    rows = array_ops.reshape(logits, array_ops.stack([-1, sizes[-1]]))
    labels = array_ops.reshape(cast(convert_to_tensor(target), dtypes.int64), [-1])
    losses = cross_entropies.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=rows)
    if rank == 2:
        return losses
    shaped = array_ops.reshape(losses, sizes[:-1])
    shaped.set_shape(logits.shape[:-1])
    return shaped


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Tensor:
    """The cross entropy of each element with a target of 0 to 1.

    Args:
        target: Probabilities.
        output: Probabilities of the same shape, or logits.
        from_logits: Whether these are logits. Of the output of a sigmoid they are taken, too.

    Returns:
        The losses, of the same shape.
    """
    output = convert_to_tensor(output)
    logits = output if from_logits else _input_of(output, "Sigmoid")
    if logits is not None:
        return cross_entropies.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    output = _kept_off_0_and_1(output)
    yes: Tensor = target * gen_ops.log(output + epsilon())
    no: Tensor = (1 - target) * gen_ops.log(1 - output + epsilon())
    return -(yes + no)


def hard_sigmoid(x: Any) -> Tensor:
    """0.2 * x + 0.5, between 0 and 1."""
    return _between(convert_to_tensor(x) * 0.2 + 0.5, 0.0, 1.0)


def _kept_off_0_and_1(output: Tensor) -> Tensor:
    return _between(output, epsilon(), 1 - epsilon())


def _between(x: Tensor, least: float, most: float) -> Tensor:
    clipped: Tensor = clip_by_value(x, least, most)
    return clipped


def _input_of(output: Tensor, op: str) -> Optional[Tensor]:
    """What that op has made the output of; None where another one has."""
    return output.op.inputs[0] if output.op.type == op else None


def _checked_axis(output: Tensor, axis: int) -> int:
    rank = output.shape.rank
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"Unexpected channels axis {axis}. The output has {rank} axes.")
    return axis
