"""Checks of gradients against numerical differentiation."""

from __future__ import annotations

from typing import Any

import numpy as np

from troupe._src.graph.graph import get_default_session
from troupe._src.ops.creation_ops import placeholder
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.train.gradients import gradients
from troupe._src.types.dtypes import DType


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """Two Jacobians of y by x: by `gradients`, and by differences.

    A complex number counts as two, its real and its imaginary part, in x and in y: what is computed
    of it need not have a complex derivative.

    Args:
        x: A tensor of floats or complex numbers, or a list of them.
        x_shape: Its shape, or a list of shapes.
        y: A tensor of floats or complex numbers.
        y_shape: Its shape.
        x_init_value: The point, or a list of them; by default random.
        delta: The distance of the differences.
        init_targets: Operations that are run before, or None.
        extra_feed_dict: What else steps are fed; what it has for x itself does not count.

    Returns:
        Two arrays [size of x, size of y]; for a list of tensors, a list of such pairs.

    Raises:
        ValueError: There is no default session, or y does not depend on x.
    """
    if isinstance(x, list):
        starts = x_init_value if x_init_value is not None else [None] * len(x)
        more_arguments = (delta, init_targets, extra_feed_dict)
        return [
            compute_gradient(part, part_shape, y, y_shape, start, *more_arguments)
            for part, part_shape, start in zip(x, x_shape, starts)
        ]
    session = get_default_session()
    if session is None:
        raise ValueError("compute_gradient needs a default session")
    if init_targets is not None:
        session.run(init_targets)
    point, more = _point(x.dtype, x_shape, x_init_value), dict(extra_feed_dict or {})
    one = np.zeros(y_shape, y.dtype.as_numpy_dtype)
    x_size, y_size = _reals(point).size, _reals(one).size
    dtype = x.dtype.real_dtype.as_numpy_dtype
    by_gradients, by_differences = (np.zeros((x_size, y_size), dtype) for _ in range(2))
    grad_y = placeholder(y.dtype, y_shape)
    (derivative,) = gradients(y, [x], [grad_y])
    if derivative is None:
        raise ValueError(f"{y!r} does not depend on {x!r}")
    derivative = convert_to_tensor(derivative)
    for column in range(y_size):
        _reals(one)[column] = 1
        by_gradients[:, column] = _reals(
            session.run(derivative, {**more, x: point, grad_y: one})
        )
        _reals(one)[column] = 0
    for row in range(x_size):
        values = []
        for step in (delta, -delta):
            moved = point.copy()
            _reals(moved)[row] += step
            values.append(_reals(session.run(y, {**more, x: moved})))
        by_differences[row] = (values[0] - values[1]) / (2 * delta)
    return by_gradients, by_differences


def _point(dtype: DType, shape: Any, value: Any) -> Any:
    """The value, by default random, as a contiguous array of its own."""
    if value is None:
        value = np.random.random_sample(shape)
        if dtype.is_complex:
            value = value + 1j * np.random.random_sample(shape)
    return np.array(value, dtype.as_numpy_dtype, order="C")


def _reals(array: Any) -> Any:
    """The elements in a row, of complex numbers both parts: a view, where the array has one."""
    flat = np.asarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def compute_gradient_error(
    x: Any, x_shape: Any, y: Any, y_shape: Any, *args: Any, **kw: Any
) -> Any:
    """The largest difference between the Jacobians of compute_gradient.

    Args:
        x: A tensor of floats or complex numbers, or a list of them.
        x_shape: Its shape, or a list of shapes.
        y: A tensor of floats or complex numbers.
        y_shape: Its shape.
        *args: As for `compute_gradient`.
        **kw: As for `compute_gradient`.

    Returns:
        A number.

    Raises:
        ValueError: There is no default session, or y does not depend on x.
    """
    pairs = compute_gradient(x, x_shape, y, y_shape, *args, **kw)
    return max(
        float(np.abs(one - other).max(initial=0.0))
        for one, other in (pairs if isinstance(x, list) else [pairs])
    )
