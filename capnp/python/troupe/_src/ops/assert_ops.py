"""Checks of values within a step: operations that fail, and prints."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, grouping_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.errors import InvalidArgumentError


def Assert(  # noqa: N802
    condition: TensorLike,
    data: Sequence[Any],
    summarize: Optional[int] = None,
    name: Optional[str] = None,
) -> Operation:
    """An operation that fails with InvalidArgument, showing `data`, unless the condition is true.

    Args:
        condition: bools; the check fails unless all are true.
        data: what the error shows, a list of tensors and texts.
        summarize: how many elements of each tensor are shown, by default 3.

    Returns:
        The operation.
    """
    tensor = convert_to_tensor(condition)
    items = [convert_to_tensor(item) for item in data]
    return raw_ops.Assert(
        condition=tensor, data=items, summarize=3 if summarize is None else summarize, name=name
    )


def _check_known(holds: Any, data: Sequence[Any]) -> None:
    """InvalidArgumentError if a check fails, but in a branch or loop, which may not run."""
    always_runs = get_default_graph()._scopes.context < 0
    if holds or not always_runs:
        return
    shown = [array_ops.get_static_value(convert_to_tensor(item)) for item in data]
    texts = [_text_of(item) for item in shown]
    raise InvalidArgumentError(None, None, "assertion failed: " + " ".join(texts))


def _text_of(value: Any) -> str:
    if value is None:
        return "?"
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


_ARGUMENTS = """\
    data: what the error shows, a list of tensors and texts; None for what is compared.
    summarize: how many elements of each tensor are shown, by default 3.
    message: the beginning of the error's text.
    name: the scope of the nodes.

Returns:
    The operation.

Raises:
    InvalidArgumentError: if the check is known to fail.
"""


def _checked(
    name: str,
    condition: Callable[[Any, Any], Any],
    known_condition: Callable[[Any, Any], Any],
    words: str,
) -> Callable[..., Operation]:
    """An assertion that compares two tensors by elements, by two forms of one condition."""

    def check(
        x: TensorLike,
        y: TensorLike,
        data: Optional[Sequence[Any]] = None,
        summarize: Optional[int] = None,
        message: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Operation:
        with get_default_graph().name_scope(name or check.__name__):
            if x is y and known_condition is np.equal:
                return grouping_ops.no_op()  # as in TensorFlow, also where it has a NaN
            left = convert_to_tensor(x)
            right = convert_to_tensor(y, left.dtype)
            shown = data
            if shown is None:
                shown = [
                    f"{message or ''}{' ' if message else ''}Condition x {words} y did not hold "
                    "element-wise:",
                    f"x ({left.name}) = ",
                    left,
                    f"y ({right.name}) = ",
                    right,
                ]
            known = [array_ops.get_static_value(each) for each in (left, right)]
            if known[0] is not None and known[1] is not None:
                _check_known(np.all(known_condition(*known)), shown)
            holds = math_ops.reduce_all(condition(left, right))
            return Assert(holds, list(shown), summarize)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = (
        f"An operation that fails unless x {words} y holds for all elements.\n\nArgs:\n"
        "    x: a tensor.\n    y: of the dtype of `x`, in a shape that broadcasts with its own.\n"
        + _ARGUMENTS
    )
    return check


assert_equal = _checked("assert_equal", gen_ops.equal, np.equal, "==")
assert_none_equal = _checked("assert_none_equal", gen_ops.not_equal, np.not_equal, "!=")
assert_less = _checked("assert_less", gen_ops.less, np.less, "<")
assert_less_equal = _checked("assert_less_equal", gen_ops.less_equal, np.less_equal, "<=")
assert_greater = _checked("assert_greater", gen_ops.greater, np.greater, ">")
assert_greater_equal = _checked(
    "assert_greater_equal", gen_ops.greater_equal, np.greater_equal, ">="
)


def _sign(
    name: str,
    condition: Callable[[Any, Any], Any],
    known_condition: Callable[[Any, Any], Any],
    words: str,
) -> Callable[..., Operation]:
    """As `_checked`, of a tensor with 0."""

    def check(
        x: TensorLike,
        data: Optional[Sequence[Any]] = None,
        summarize: Optional[int] = None,
        message: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Operation:
        with get_default_graph().name_scope(name or check.__name__):
            tensor = convert_to_tensor(x)
            shown = data
            if shown is None:
                shown = [
                    f"{message or ''}{' ' if message else ''}Condition x {words} 0 did not hold "
                    "element-wise:",
                    f"x ({tensor.name}) = ",
                    tensor,
                ]
            known = array_ops.get_static_value(tensor)
            if known is not None:
                _check_known(np.all(known_condition(known, 0)), shown)
            holds = math_ops.reduce_all(condition(tensor, creation_ops.zeros_like(tensor)))
            return Assert(holds, list(shown), summarize)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = (
        f"An operation that fails unless x {words} 0 holds for all elements.\n\nArgs:\n"
        "    x: numbers of any shape.\n" + _ARGUMENTS
    )
    return check


assert_positive = _sign("assert_positive", gen_ops.greater, np.greater, ">")
assert_non_negative = _sign("assert_non_negative", gen_ops.greater_equal, np.greater_equal, ">=")
assert_negative = _sign("assert_negative", gen_ops.less, np.less, "<")
assert_non_positive = _sign("assert_non_positive", gen_ops.less_equal, np.less_equal, "<=")


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: Any = None,
    atol: Any = None,
    data: Optional[Sequence[Any]] = None,
    summarize: Optional[int] = None,
    message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:
    """An operation that fails unless |x - y| <= atol + rtol * |y| for all elements.

    By default both are ten times the distance of 1 from the next number of the dtype.

    Args:
        x: floats of any shape.
        y: floats of the dtype of `x`, in a shape that broadcasts with that of `x`.
        rtol: the relative tolerance, a number or a tensor.
        atol: the absolute tolerance, a number or a tensor.
        data: what the error shows, a list of tensors and texts; None for the tensors that are
            compared.
        summarize: how many elements of each tensor are shown, by default 3.
        message: the beginning of the error's text.

    Returns:
        The operation.

    Raises:
        InvalidArgumentError: if the check is known to fail.
    """
    with get_default_graph().name_scope(name or "assert_near"):
        left = convert_to_tensor(x)
        right = convert_to_tensor(y, left.dtype)
        epsilon = 10 * float(np.finfo(left.dtype.as_numpy_dtype).eps)
        relative = epsilon if rtol is None else rtol
        absolute = epsilon if atol is None else atol
        limit = absolute + relative * gen_ops.abs(right)
        holds = math_ops.reduce_all(gen_ops.less_equal(gen_ops.abs(left - right), limit))
        shown = data or [
            message or "",
            f"x and y not equal to tolerance rtol = {relative}, atol = {absolute}",
            f"x ({left.name}) = ",
            left,
            f"y ({right.name}) = ",
            right,
        ]
        return Assert(holds, list(shown), summarize)


def check_numerics(tensor: TensorLike, message: str, name: Optional[str] = None) -> Tensor:
    """The tensor; a step fails where it has an element that is NaN or infinite.

    Args:
        tensor: floats of any shape.
        message: the beginning of the error's text.

    Returns:
        A tensor of the same value.
    """
    return raw_ops.CheckNumerics(tensor=tensor, message=message, name=name)


def verify_tensor_all_finite(
    t: Optional[TensorLike] = None,
    msg: Optional[str] = None,
    name: Optional[str] = None,
    x: Optional[TensorLike] = None,
    message: Optional[str] = None,
) -> Tensor:
    """As `check_numerics`, with another order of arguments.

    Args:
        t: floats of any shape.
        msg: the beginning of the error's text.
        x: another name of `t`.
        message: another name of `msg`.

    Returns:
        A tensor of the same value.
    """
    given = t if x is None else x
    tensor = convert_to_tensor(given)
    with get_default_graph().name_scope(name or "VerifyFinite"):
        return check_numerics(tensor, msg or message or "")


def add_check_numerics_ops() -> Operation:
    """An operation that checks all tensors of floating-point numbers that the graph has now."""
    graph = get_default_graph()
    checks: List[Operation] = []
    for op in graph.get_operations():
        for tensor in op.outputs:
            if tensor.dtype.is_floating:
                with graph.control_dependencies(checks[-1:]):
                    checks.append(check_numerics(tensor, f"{op.name}:{tensor.value_index}").op)
    return grouping_ops.group(*checks)


def Print(  # noqa: N802
    input_: TensorLike,
    data: Sequence[Any],
    message: Optional[str] = None,
    first_n: Optional[int] = None,
    summarize: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The tensor; where it is computed, `data` is printed to the standard error.

    Args:
        input_: a tensor of any dtype.
        data: the tensors that are printed.
        message: the beginning of the line.
        first_n: how often at most it is printed; None for always.
        summarize: how many elements of each tensor are printed, by default 3.

    Returns:
        A tensor of the value of `input_`.
    """
    return raw_ops.Print(
        input=input_,
        data=[convert_to_tensor(item) for item in data],
        message=message or "",
        first_n=-1 if first_n is None else first_n,
        summarize=3 if summarize is None else summarize,
        name=name,
    )
