"""Checks of gradients against numerical differentiation."""

from __future__ import annotations

from typing import Any

import numpy as np

from troupe._src.graph.graph import get_default_session
from troupe._src.ops.creation_ops import placeholder
from troupe._src.train.gradients import gradients


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

    Args:
        x: A tensor of floats, or a list of them.
        x_shape: Its shape, or a list of shapes.
        y: A tensor of floats.
        y_shape: Its shape.
        x_init_value: The point, or a list of them; by default random.
        delta: The distance of the differences.
        init_targets: Operations that are run before, or None.
        extra_feed_dict: What else steps are fed.

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
    dtype = x.dtype.as_numpy_dtype
    initial = np.random.random_sample(x_shape) if x_init_value is None else x_init_value
    point, more = np.array(initial, dtype), dict(extra_feed_dict or {})
    x_size, y_size = int(np.prod(x_shape)), int(np.prod(y_shape))
    by_gradients, by_differences = (np.zeros((x_size, y_size), dtype) for _ in range(2))
    grad_y = placeholder(y.dtype, y_shape)
    (derivative,) = gradients(y, [x], [grad_y])
    if derivative is None:
        raise ValueError(f"{y!r} does not depend on {x!r}")
    for column in range(y_size):
        one = np.zeros(y_shape, y.dtype.as_numpy_dtype)
        one.flat[column] = 1
        feeds = {x: point, grad_y: one, **more}
        by_gradients[:, column] = session.run(derivative, feeds).ravel()
    for row in range(x_size):
        values = []
        for step in (delta, -delta):
            moved = point.copy()
            moved.flat[row] += step
            values.append(session.run(y, {x: moved, **more}).ravel())
        by_differences[row] = (values[0] - values[1]) / (2 * delta)
    return by_gradients, by_differences


def compute_gradient_error(
    x: Any, x_shape: Any, y: Any, y_shape: Any, *args: Any, **kw: Any
) -> Any:
    """The largest difference between the Jacobians of compute_gradient.

    Args:
        x: A tensor of floats, or a list of them.
        x_shape: Its shape, or a list of shapes.
        y: A tensor of floats.
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
