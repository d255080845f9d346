"""Assignments to variables, and to references."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.ref_variable import add_reference, reference_of
from troupe._src.variables.variable import Variable


def assign(
    ref: Any,
    value: TensorLike,
    validate_shape: Optional[bool] = None,
    use_locking: Optional[bool] = None,
    name: Optional[str] = None,
) -> Any:
    """Assigns a value; the result is the new value.

    A variable gets another shape with it, if `validate_shape` is false.

    Args:
        ref: A variable, its value after an update, or a reference to one.
        value: Of its dtype, and of a shape that fits.
        validate_shape: Whether the shape of the variable must stay.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The value after the assignment; for a reference, or without `validate_shape`, a reference.
    """
    reference = reference_of(ref)
    if reference is None and validate_shape is False and isinstance(ref, Variable):
        reference = add_reference(ref)
    if reference is None:
        with _after_its_update(ref) as variable:
            return variable.assign(value, name=name)
    return raw_ops.Assign(
        ref=reference,
        value=convert_to_tensor(value, reference.dtype),
        validate_shape=validate_shape is not False,
        use_locking=use_locking is not False,
        name=name,
    )


def assign_add(
    ref: Any, value: TensorLike, use_locking: Optional[bool] = None, name: Optional[str] = None
) -> Any:
    """Adds to a variable; the result is the value after that.

    Args:
        ref: A variable, its value after an update, or a reference to one.
        value: Of its dtype and shape.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The value after the addition; for a reference, a reference.
    """
    reference = reference_of(ref)
    if reference is None:
        with _after_its_update(ref) as variable:
            return variable.assign_add(value, name=name)
    given = convert_to_tensor(value, reference.dtype)
    return raw_ops.AssignAdd(reference, given, use_locking=bool(use_locking), name=name)


def assign_sub(
    ref: Any, value: TensorLike, use_locking: Optional[bool] = None, name: Optional[str] = None
) -> Any:
    """Subtracts from a variable; the result is the value after that.

    Args:
        ref: A variable, its value after an update, or a reference to one.
        value: Of its dtype and shape.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The value after the subtraction; for a reference, a reference.
    """
    reference = reference_of(ref)
    if reference is None:
        with _after_its_update(ref) as variable:
            return variable.assign_sub(value, name=name)
    given = convert_to_tensor(value, reference.dtype)
    return raw_ops.AssignSub(reference, given, use_locking=bool(use_locking), name=name)


@contextmanager
def _after_its_update(ref: Any) -> Iterator[Any]:
    """The variable whose value after an update it is, for what comes after that; else itself."""
    op: Any = getattr(ref, "_op", None)
    if not isinstance(ref, Tensor) or op.type != "ReadVariableOp" or not op.control_inputs:
        yield ref
        return
    handle = op.inputs[0].op
    while handle.type in ("Enter", "Switch"):  # into loops and branches
        handle = handle.inputs[0].op
    with ref.graph.control_dependencies([ref]):
        yield ref.graph._variables.get(handle._variable_name or "", ref)
