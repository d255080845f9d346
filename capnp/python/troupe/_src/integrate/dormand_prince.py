"""The method of Dormand and Prince (1980): steps of order 5 with an estimate of their error."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Sequence, Tuple

from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant

# When the slopes after the first one are taken, and of which sums of those before.
_TIMES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_SLOPES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
# Of which sums of slopes the value in the middle of a step is, and the error at its end.
_MIDDLE = (
    6025192743 / 30085553152 / 2,
    0,
    51252292925 / 65400821598 / 2,
    -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2,
    -1776094331 / 19743644256 / 2,
    11237099 / 235043384 / 2,
)
_ERROR = (
    1951 / 21600 - 35 / 384,
    0,
    22642 / 50085 - 500 / 1113,
    451 / 720 - 125 / 192,
    -12231 / 42400 + 2187 / 6784,
    649 / 6300 - 11 / 84,
    1 / 60,
)


class Step(NamedTuple):
    """A step."""

    end: Any  # the value
    slope: Any  # at the end
    error: Any
    slopes: List[Any]


def _weighted(scale: Any, weights: Sequence[float], slopes: Sequence[Any]) -> Any:
    pairs = zip(weights, slopes)
    return gen_ops.add_n([scale * weight * slope for weight, slope in pairs if weight])


def step(func: Callable[[Any, Any], Any], y: Any, slope: Any, t: Any, dt: Any) -> Step:
    """A step from a value.

    Args:
        func: The slope at a value and a time.
        y: The value.
        slope: The slope there.
        t: The time.
        dt: The size of the step.

    Returns:
        The step.
    """
    size = math_ops.cast(dt, y.dtype)
    slopes = [slope]
    value = y
    for when, weights in zip(_TIMES, _SLOPES):
        value = y + _weighted(size, weights, slopes)
        slopes.append(func(value, t + when * dt))
    # The last slope is that of the end.
    return Step(value, slopes[-1], _weighted(size, _ERROR, slopes), slopes)


def polynomial(y: Any, made: Step, dt: Any) -> List[Any]:
    """The polynomial of order 4 that goes through a step.

    Args:
        y: The value before the step.
        made: The step.
        dt: Its size.

    Returns:
        The coefficients, that of the highest power first.
    """
    size = math_ops.cast(dt, y.dtype)
    middle = y + _weighted(size, _MIDDLE, made.slopes)
    rows: Tuple[Tuple[Any, ...], ...] = (
        (-2 * size, 2 * size, -8, -8, 16),
        (5 * size, -3 * size, 18, 14, -32),
        (-4 * size, size, -11, -5, 16),
    )
    parts = [made.slopes[0], made.slope, y, made.end, middle]
    found = [gen_ops.add_n([a * b for a, b in zip(row, parts)]) for row in rows]
    return [*found, size * made.slopes[0], y]


def evaluate(coefficients: Sequence[Any], start: Any, end: Any, t: Any) -> Any:
    """The value of a polynomial between the ends of a step; the step fails for other times.

    Args:
        coefficients: That of the highest power first.
        start: The time before the step.
        end: The time after it.
        t: The time.

    Returns:
        A tensor of the shape of a coefficient.
    """
    is_inside = gen_ops.logical_and(start <= t, t <= end)
    message = "invalid interpolation, fails `t0 <= t <= t1`:"
    dtype = coefficients[0].dtype
    with control_dependencies([Assert(is_inside, [message, start, t, end])]):
        x = math_ops.cast((t - start) / (end - start), dtype)
    powers = [constant(1, dtype), x]
    while len(powers) < len(coefficients):
        powers.append(powers[-1] * x)
    return gen_ops.add_n([a * b for a, b in zip(coefficients, reversed(powers))])
