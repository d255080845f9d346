"""Solutions by steps of given sizes: `odeint_fixed`."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.scopes import name_scope
from troupe._src.integrate.checks import check_sizes, check_types, increasing
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

Slope = Callable[[Any, Any], Any]


def _midpoint(func: Slope, t: Any, dt: Any, y: Any) -> Any:
    size = math_ops.cast(dt, y.dtype)
    return size * func(y + func(y, t) * size / 2, t + dt / 2)


def _rk4(func: Slope, t: Any, dt: Any, y: Any) -> Any:
    size = math_ops.cast(dt, y.dtype)
    first = func(y, t)
    second = func(y + size * first / 2, t + dt / 2)
    third = func(y + size * second / 2, t + dt / 2)
    fourth = func(y + size * third, t + dt)
    return gen_ops.add_n([first, 2 * second, 2 * third, fourth]) * (size / 6)


_METHODS = {"midpoint": _midpoint, "rk4": _rk4}


@set_module("troupe.contrib.integrate")
def odeint_fixed(
    func: Slope, y0: Any, t: Any, dt: Any = None, method: str = "rk4", name: Optional[str] = None
) -> Any:
    """The solution of dy/dt = func(y, t) at several times, by steps of given sizes.

    Args:
        func: The slope at a value and a time, a tensor of the value's shape.
        y0: The value at the first time, floating point or complex numbers of any shape.
        t: The times, ascending floating point numbers.
        dt: The largest step of each interval between times; by default there is one step in each.
        method: `"rk4"`, that of Runge and Kutta, or `"midpoint"`.
        name: Of the operations.

    Returns:
        The values, [times, ...].

    Raises:
        ValueError: There is no such method, or there is not one step for each interval.
        TypeError: The dtypes are others.
        InvalidArgumentError: When a step runs: times do not ascend.
    """
    with name_scope(name, "odeint_fixed"):
        times = convert_to_tensor(t, preferred_dtype=dtypes.float64, name="t")
        start = convert_to_tensor(y0, name="y0")
        intervals = times[1:] - times[:-1]
        largest = intervals
        if dt is not None:
            largest = convert_to_tensor(dt, preferred_dtype=dtypes.float64, name="dt")
        counts = gen_ops.ceil(intervals / largest)
        sizes = intervals / counts
        check_types(start, t=times, dt=sizes)
        check_sizes(times, sizes)
        if method not in _METHODS:
            raise ValueError(f"method not supported: {method}")
        with increasing(times), name_scope(method):
            return _solve(func, start, times, sizes, counts, _METHODS[method])


def _solve(func: Slope, y0: Any, times: Any, sizes: Any, counts: Any, method: Any) -> Any:
    counts = math_ops.cast(counts, dtypes.int32)
    n_times = array_ops.size(times)

    def integrate(values: Any, y: Any, t: Any, number: Any) -> Any:
        dt = sizes[number - 1]

        def step(y: Any, t: Any, index: Any) -> Any:
            return y + math_ops.cast(method(func, t, dt, y), y.dtype), t + dt, index + 1

        y, t, _ = while_loop(
            lambda y, t, index: index < counts[number - 1], step, [y, t, constant(0)]
        )
        return values.write(number, y), y, t, number + 1

    values = TensorArray(y0.dtype, size=n_times).write(0, y0)
    values = while_loop(
        lambda values, y, t, number: number < n_times,
        integrate,
        [values, y0, times[0], constant(1)],
    )[0].stack()
    values.set_shape(times.shape.concatenate(y0.shape))
    return values
