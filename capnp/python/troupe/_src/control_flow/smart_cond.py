"""Branches that are taken while the graph is built, where the condition is known by then."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.control_flow.conditional import case, cond
from troupe._src.graph.elements import Tensor
from troupe._src.ops.array_ops import get_static_value


def smart_constant_value(pred: Any) -> Optional[bool]:
    """The value of a condition, if it is known while the graph is built.

    Args:
        pred: A bool, the number 0 or 1, or a bool tensor.

    Returns:
        The value, or None for a tensor that only a step computes.

    Raises:
        TypeError: It is something else.
    """
    if isinstance(pred, Tensor):
        value = get_static_value(pred)
        return None if value is None else bool(value)
    if isinstance(pred, bool) or (isinstance(pred, int) and pred in (0, 1)):
        return bool(pred)
    raise TypeError(
        f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {type(pred)}"
    )


def smart_cond(
    pred: Any,
    true_fn: Optional[Callable[[], Any]] = None,
    false_fn: Optional[Callable[[], Any]] = None,
    name: Optional[str] = None,
) -> Any:
    """`tf.cond`, or the result of one function if the condition is known.

    Args:
        pred: A bool, the number 0 or 1, or a bool tensor.
        true_fn: Called without arguments where the condition is true.
        false_fn: Called without arguments where it is false.

    Returns:
        What the function returns, or the outputs of the branch that a step takes.

    Raises:
        TypeError: The condition is something else, or a function is missing.
    """
    for function, text in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"`{text}` must be callable.")
    assert true_fn is not None and false_fn is not None
    value = smart_constant_value(pred)
    if value is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if value else false_fn()


def smart_case(
    pred_fn_pairs: Any,
    default: Optional[Callable[[], Any]] = None,
    exclusive: bool = False,
    name: str = "smart_case",
) -> Any:
    """`tf.case`, or the result of a function whose condition is known to be the first true one.

    Pairs whose condition is known to be false are left out.

    Args:
        pred_fn_pairs: A dictionary or a list of pairs of a condition and a function.
        default: Called without arguments where no condition is true.
        exclusive: Whether it is an error if several conditions are true.

    Returns:
        What the function returns, or the outputs of the branch that a step takes.

    Raises:
        TypeError: The pairs are no such list, or their functions cannot be called.
        ValueError: No condition can be true, and there is no default.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    values = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in pred_fn_pairs must be a 2-tuple")
        if not callable(pair[1]):
            raise TypeError(f"fn for pred {pair[0]} must be callable.")
        values.append(smart_constant_value(pair[0]))
    left = [(pair, value) for pair, value in zip(pairs, values) if value is not False]
    if left and left[0][1] and not (exclusive and len(left) > 1):
        return left[0][0][1]()
    if left:
        return case([pair for pair, _ in left], default, exclusive, name=name)
    if default is None:
        raise ValueError("no condition of pred_fn_pairs can be true, and there is no default")
    return default()
