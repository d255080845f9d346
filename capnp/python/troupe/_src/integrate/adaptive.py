"""Solutions by steps of sizes that follow from their errors: `odeint`."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.integrate import dormand_prince
from troupe._src.integrate.checks import check_types, increasing
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import abs as magnitude
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.cast_ops import imag, real
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

_ORDER = 5


class _State(NamedTuple):
    """The value after the last step, and the polynomial through this step."""

    value: Any
    slope: Any
    start: Any
    end: Any
    dt: Any  # of the next step
    coefficients: List[Any]


class _Options(NamedTuple):
    """How the sizes of steps follow from their errors."""

    rtol: Any
    atol: Any
    safety: Any
    ifactor: Any
    dfactor: Any
    max_num_steps: Any


def _squared_magnitude(x: Any) -> Any:
    if x.dtype.is_complex:
        return gen_ops.square(real(x)) + gen_ops.square(imag(x))
    return gen_ops.square(x)


def _next_size(dt: Any, ratio: Any, options: _Options) -> Any:
    power = math_ops.cast(ratio, dt.dtype) ** math_ops.cast(1 / _ORDER, dt.dtype)
    factor = gen_ops.minimum(power / options.safety, 1 / options.dfactor)
    return dt / gen_ops.maximum(1 / options.ifactor, factor)


def _advance(
    func: Callable[[Any, Any], Any], state: _State, n_steps: Any, options: _Options
) -> Tuple[_State, Any]:
    """The state after a step, which is repeated smaller where its error is too large."""
    y, t, dt = state.value, state.end, state.dt
    is_finite = math_ops.reduce_all(gen_ops.is_finite(magnitude(y)))
    checks = [
        Assert(t + dt > t, ["underflow in dt", dt]),
        Assert(n_steps < options.max_num_steps, ["max_num_steps exceeded"]),
        Assert(is_finite, ["non-finite values in state `y`", y]),
    ]
    with control_dependencies(checks):
        t = array_ops.identity(t)
        made = dormand_prince.step(func, array_ops.identity(y), state.slope, t, dt)
    largest = gen_ops.maximum(magnitude(y), magnitude(made.end))
    tolerance = options.atol + options.rtol * largest
    squares = _squared_magnitude(made.error) / _squared_magnitude(tolerance)
    ratio = gen_ops.sqrt(math_ops.reduce_mean(squares))
    value, slope, end, *coefficients = cond(
        ratio <= 1,
        lambda: [made.end, made.slope, t + dt, *dormand_prince.polynomial(y, made, dt)],
        lambda: [array_ops.identity(x) for x in (y, state.slope, t, *state.coefficients)],
    )
    for tensor in (value, slope, *coefficients):
        tensor.set_shape(y.shape)
    size = _next_size(dt, ratio, options)
    return _State(value, slope, t, end, size, coefficients), ratio


def _solve(
    func: Callable[[Any, Any], Any], y0: Any, t: Any, first_step: Any, options: _Options
) -> Tuple[Any, Any, Any]:
    """The values at all times, the ends of all steps and their errors."""
    with increasing(t):
        n_times = array_ops.size(t)

    def advance(state: _State, ends: Any, ratios: Any, n_steps: Any) -> Any:
        end = state.end + state.dt
        state, ratio = _advance(func, state, n_steps, options)
        size = ends.size()
        return state, ends.write(size, end), ratios.write(size, ratio), n_steps + 1

    def interpolate(values: Any, ends: Any, ratios: Any, state: _State, index: Any) -> Any:
        state, ends, ratios, _ = while_loop(
            lambda state, *_: t[index] > state.end, advance, [state, ends, ratios, constant(0)]
        )
        value = dormand_prince.evaluate(state.coefficients, state.start, state.end, t[index])
        return values.write(index, value), ends, ratios, state, index + 1

    values = TensorArray(y0.dtype, size=n_times).write(0, y0)
    ends = TensorArray(t.dtype, size=0, dynamic_size=True)
    ratios = TensorArray(options.rtol.dtype, size=0, dynamic_size=True)
    slope = convert_to_tensor(func(y0, t[0]))
    state = _State(y0, slope, t[0], t[0], first_step, [y0] * 5)
    values, ends, ratios, _, _ = while_loop(
        lambda *given: given[-1] < n_times, interpolate, [values, ends, ratios, state, constant(1)]
    )
    return values.stack(), ends.stack(), ratios.stack()


@set_module("troupe.contrib.integrate")
def odeint(
    func: Callable[[Any, Any], Any],
    y0: Any,
    t: Any,
    rtol: Any = 1e-06,
    atol: Any = 1e-12,
    method: Optional[str] = None,
    options: Optional[Dict[str, Any]] = None,
    full_output: bool = False,
    name: Optional[str] = None,
) -> Any:
    """The solution of dy/dt = func(y, t) at several times, by steps of Dormand and Prince.

    Args:
        func: The slope at a value and a time, a tensor of the value's shape and dtype.
        y0: The value at the first time, floating point or complex numbers of any shape.
        t: The times, ascending floating point numbers.
        rtol: How large the error of a step may be, relative to the value.
        atol: And how large beside that.
        method: `"dopri5"`, or None.
        options: With a method: `first_step`, the size of the first step, 1; `safety`, `ifactor` and
            `dfactor`, what sizes of steps are divided by and how much they grow and shrink at most,
            0.9, 10 and 0.2; and `max_num_steps`, of steps between two times, 1000.
        full_output: Whether the result has the steps, too.
        name: Of the operations.

    Returns:
        The values, [times, ...]; with `full_output` also a dict of `num_func_evals`,
        `integrate_points`, the ends of steps, and `error_ratio`, their errors relative to those
        that may be.

    Raises:
        ValueError: There is no such method, or there are options without a method.
        TypeError: The dtypes are others.
        InvalidArgumentError: When a step runs: times do not ascend, a value is not finite, or steps
            become too small or too many.
    """
    if method not in (None, "dopri5"):
        raise ValueError(f"invalid method: {method!r}")
    if options is not None and method is None:
        raise ValueError("cannot supply `options` without specifying `method`")
    with name_scope(name, "odeint"):
        start = convert_to_tensor(y0, name="y0")
        times = convert_to_tensor(t, preferred_dtype=dtypes.float64, name="t")
        check_types(start, t=times)
        return _integrated(func, start, times, (rtol, atol), full_output, **(options or {}))


def _integrated(
    func: Callable[[Any, Any], Any], y0: Any, t: Any, tolerances: Tuple[Any, Any],
    full_output: bool, first_step: Any = None, safety: Any = 0.9, ifactor: Any = 10.0,
    dfactor: Any = 0.2, max_num_steps: Any = 1000,
) -> Any:  # fmt: skip
    kind = magnitude(y0).dtype
    rtol, atol = (convert_to_tensor(tolerance, kind) for tolerance in tolerances)
    size = convert_to_tensor(1.0 if first_step is None else first_step, t.dtype)
    factors = [convert_to_tensor(factor, t.dtype) for factor in (safety, ifactor, dfactor)]
    limit = convert_to_tensor(max_num_steps, dtypes.int32)
    chosen = _Options(rtol, atol, factors[0], factors[1], factors[2], limit)
    values, ends, ratios = _solve(func, y0, t, size, chosen)
    values.set_shape(t.shape.concatenate(y0.shape))
    if not full_output:
        return values
    count = 6 * array_ops.size(ends) + 1
    return values, {"num_func_evals": count, "integrate_points": ends, "error_ratio": ratios}
