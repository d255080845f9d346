"""What conversion puts in place of `if`, `and`, `or`, `not`, `==` and `assert`.

Each takes its operands as functions, so that Python evaluates them only where it would have, and a
graph has them in the branch that needs them.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence, Tuple

from troupe._src.autograph.state import (
    GetState,
    SetState,
    check_branches,
    check_defined_in_branches,
)
from troupe._src.control_flow.conditional import cond as graph_cond
from troupe._src.ops import raw_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant, is_tensor

Thunk = Callable[[], Any]


def if_stmt(
    condition: Any, body: Thunk, orelse: Thunk, get_state: GetState, set_state: SetState,
    symbol_names: Sequence[str], nouts: int,
) -> None:  # fmt: skip
    """An `if`: `tf.cond` of a tensor, whose results are the variables that either branch sets.

    Args:
        condition: A tensor, or a value of Python.
        body: The statements of the first branch, which set variables around them.
        orelse: Those of the other one.
        get_state: Gives the variables that a branch sets.
        set_state: Sets them.
        symbol_names: Their names.
        nouts: How many of them, from the first, are used after the `if`.

    Raises:
        ValueError: A variable that is used later gets a value in one branch only.
        TypeError: It gets tensors of different dtypes, or different structures.
    """
    if not is_tensor(condition):
        (body if condition else orelse)()
        return
    before = get_state()
    outputs = {}

    def branch(name: str, statements: Thunk) -> Any:
        set_state(before)
        statements()
        outputs[name] = get_state()[:nouts]
        check_defined_in_branches(outputs, symbol_names)
        return [*_without_nones(outputs[name]), constant(0)]  # a branch has to return something

    # Both are traced first, so that what is wrong is said with the names of variables.
    def orelse_branch() -> Any:
        values = branch("else", orelse)
        check_branches(outputs["if"], outputs["else"], symbol_names)
        return values

    found = graph_cond(condition, lambda: branch("if", body), orelse_branch, strict=True)
    rest = iter(found)
    after = tuple(None if value is None else next(rest) for value in outputs["if"])
    set_state(after + tuple(before[nouts:]))


def _without_nones(values: Tuple[Any, ...]) -> Sequence[Any]:
    return [value for value in values if value is not None]


def if_exp(condition: Any, if_true: Thunk, if_false: Thunk, expr_repr: str) -> Any:
    """An `a if condition else b`."""
    if not is_tensor(condition):
        return if_true() if condition else if_false()
    return graph_cond(condition, if_true, if_false)


def and_(a: Thunk, b: Thunk) -> Any:
    """`a and b`, which evaluates the second only if it has to."""
    first = a()
    if is_tensor(first):
        return graph_cond(first, b, lambda: first)
    return first and b()


def or_(a: Thunk, b: Thunk) -> Any:
    """`a or b`, which evaluates the second only if it has to."""
    first = a()
    if is_tensor(first):
        return graph_cond(first, lambda: first, b)
    return first or b()


def not_(a: Any) -> Any:
    """`not a`."""
    return raw_ops.LogicalNot(x=a) if is_tensor(a) else not a


def eq(a: Any, b: Any) -> Any:
    """`a == b`, by element."""
    return raw_ops.Equal(x=a, y=b) if is_tensor(a) or is_tensor(b) else a == b


def not_eq(a: Any, b: Any) -> Any:
    """`a != b`, by element."""
    return not_(eq(a, b))


def assert_stmt(condition: Any, message: Thunk) -> None:
    """An `assert`: of a tensor, a step that runs it fails with InvalidArgumentError."""
    if not is_tensor(condition):
        assert condition, message()
        return
    data = message()
    Assert(condition, data if isinstance(data, list) else [data])
