"""Weights that are divided by their largest singular value (openreview.net/forum?id=B1QRgziT-)."""

from __future__ import annotations

import numbers
import re
from typing import Any, Callable, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import name_scope
from troupe._src.nn.norm_ops import l2_normalize
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.platform import logging
from troupe._src.types import dtypes
from troupe._src.variables.initializers import RandomNormal
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable

_DTYPES = (dtypes.float16, dtypes.float32, dtypes.float64)
_VECTOR = "spectral_norm_u"


def compute_spectral_norm(
    w_tensor: Any, power_iteration_rounds: int = 1, name: Optional[str] = None
) -> Tensor:
    """The largest singular value of weights, which gets more exact with each step.

    A step multiplies a vector, which is a variable, by the weights and their transpose.

    Args:
        w_tensor: The weights [..., outputs], of a known shape, as a matrix of that last size.
        power_iteration_rounds: How often a step does so, 1 or more.
        name: The variable scope, by default `spectral_norm`.

    Returns:
        A scalar.

    Raises:
        ValueError: There are no rounds.
    """
    if power_iteration_rounds < 1:
        raise ValueError(f"power_iteration_rounds must be positive: {power_iteration_rounds}")
    with variable_scope(name, "spectral_norm"):
        weights = array_ops.reshape(w_tensor, (-1, w_tensor.shape.as_list()[-1]))
        vector = get_variable(
            _VECTOR, shape=(weights.shape[0], 1), dtype=weights.dtype, initializer=RandomNormal(),
            trainable=False,
        )  # fmt: skip
        left = convert_to_tensor(vector)
        for _ in range(power_iteration_rounds):
            right = l2_normalize(math_ops.matmul(weights, left, transpose_a=True))
            left = l2_normalize(math_ops.matmul(weights, right))
        updated = vector.assign(left, name="update_u")
        with get_default_graph().control_dependencies([updated]):
            left = array_ops.identity(left)
        left, right = gen_ops.stop_gradient(left), gen_ops.stop_gradient(right)
        product = math_ops.matmul(math_ops.matmul(left, weights, transpose_a=True), right)
        return array_ops.reshape(product, [])


def spectral_normalize(
    w: Any, power_iteration_rounds: int = 1, name: Optional[str] = None
) -> Tensor:
    """Weights divided by their largest singular value.

    Args:
        w: The weights [..., outputs], of a known shape.
        power_iteration_rounds: As of `compute_spectral_norm`.
        name: The variable scope, by default `spectral_normalize`.

    Returns:
        A tensor of that shape.
    """
    with variable_scope(name, "spectral_normalize"):
        norm = compute_spectral_norm(w, power_iteration_rounds)
        return array_ops.reshape(convert_to_tensor(w) / norm, w.shape)


def spectral_norm_regularizer(
    scale: float, power_iteration_rounds: int = 1, scope: Optional[str] = None
) -> Callable[..., Optional[Tensor]]:
    """A regularizer: the largest singular value of weights, multiplied by a factor.

    Args:
        scale: The factor, a float; 0.0 for no regularizer.
        power_iteration_rounds: As of `compute_spectral_norm`.
        scope: The name scope.

    Returns:
        A function of weights that gives the loss.

    Raises:
        ValueError: The factor is negative or an integer.
    """
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}")
        if scale == 0.0:
            logging.info("Scale of 0 disables regularizer.")
            return lambda _: None

    def regularizer(weights: Any, name: Optional[str] = None) -> Tensor:
        del name  # as in TensorFlow
        with name_scope(scope, "SpectralNormRegularizer") as prefix:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            norm = compute_spectral_norm(weights, power_iteration_rounds)
            return gen_ops.multiply(factor, norm, name=prefix)

    return regularizer


def _is_of_weights(name: str) -> bool:
    """Whether it is a name that layers give their kernels."""
    return re.match(r"(.*\/)?(depthwise_|pointwise_)?(weights|kernel)$", name) is not None


def spectral_normalization_custom_getter(
    name_filter: Callable[[str], bool] = _is_of_weights, power_iteration_rounds: int = 1
) -> Callable[..., Any]:
    """A custom getter of a variable scope, by which layers get normalized weights.

    Each use of a variable changes the vector by which its singular value is found.

    Args:
        name_filter: Tells from the names of variables which ones are normalized; by default the
            kernels of layers.
        power_iteration_rounds: As of `compute_spectral_norm`.

    Returns:
        The getter. It raises a ValueError for a variable that is no matrix, or has no floats.

    Raises:
        ValueError: `name_filter` cannot be called.
    """
    if not callable(name_filter):
        raise ValueError("name_filter must be callable")

    def custom_getter(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        if not name_filter(name):
            return getter(name, *args, **kwargs)
        if name.endswith(_VECTOR):
            raise ValueError(
                "Cannot apply Spectral Normalization to internal variables created for Spectral "
                f"Normalization. Tried to normalized variable [{name}]"
            )
        dtype = kwargs.get("dtype")
        if dtype is not None and dtype not in _DTYPES:
            raise ValueError(f"Disallowed data type {dtype}")
        weights = getter(name, *args, **kwargs)
        if len(weights.shape) < 2:
            raise ValueError("Spectral norm can only be applied to multi-dimensional tensors")
        scope = f"{name}/spectral_normalize"
        return spectral_normalize(weights, power_iteration_rounds, name=scope)

    return custom_getter
