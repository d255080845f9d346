"""Grids of values of a logistic-normal distribution, for mixtures of two."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from troupe._src.bijectors.vectors import SoftmaxCentered
from troupe._src.checks.rank_ops import assert_rank_at_least
from troupe._src.distributions.normal import Normal
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.nn.nn_ops import softmax
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.ops.convert import convert_to_tensor


def quadrature_scheme_softmaxnormal_gauss_hermite(
    normal_loc: Any,
    normal_scale: Any,
    quadrature_size: int,
    validate_args: bool = False,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """A grid of weights of two components, by the quadrature of Gauss and Hermite.

    Args:
        normal_loc: The means of the logarithm of their quotient, floats [..., 1].
        normal_scale: Its standard deviations, of the same dtype.
        quadrature_size: How many values there are for each.
        validate_args: Whether steps check shapes that are not known before.
        name: The name scope.

    Returns:
        The grid, [..., 2, quadrature_size], and the probabilities, [quadrature_size].

    Raises:
        NotImplementedError: There are more than two components.
        ValueError: The scales are one number.
    """
    with name_scope(name, "quadrature_scheme_softmaxnormal_gauss_hermite"):
        loc = convert_to_tensor(normal_loc, name="normal_loc")
        scale = convert_to_tensor(normal_scale, loc.dtype, name="normal_scale")
        scale = _checked(scale, "normal_scale", validate_args)
        places, weights = np.polynomial.hermite.hermgauss(deg=quadrature_size)
        dtype = loc.dtype.as_numpy_dtype
        probs = convert_to_tensor((weights / np.sum(weights)).astype(dtype), name="probs")
        spread = np.sqrt(2.0) * array_ops.expand_dims(scale, -1) * places.astype(dtype)
        logits = array_ops.expand_dims(loc, -1) + spread
        both = array_ops.concat([creation_ops.zeros_like(logits), -logits], -2)
        return softmax(both, axis=-2), probs


def quadrature_scheme_softmaxnormal_quantiles(
    normal_loc: Any,
    normal_scale: Any,
    quadrature_size: int,
    validate_args: bool = False,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """A grid of weights of two components, each between two quantiles.

    Args:
        normal_loc: The means of the logarithm of their quotient, floats [..., 1].
        normal_scale: Its standard deviations, of the same dtype.
        quadrature_size: How many values there are for each.
        validate_args: Whether steps check shapes that are not known before.
        name: The name scope.

    Returns:
        The grid, [..., 2, quadrature_size], and the probabilities, [quadrature_size].

    Raises:
        NotImplementedError: There are more than two components.
        ValueError: The scales are one number.
    """
    with name_scope(name, "softmax_normal_grid_and_probs"):
        loc = convert_to_tensor(normal_loc, name="normal_loc")
        scale = convert_to_tensor(normal_scale, loc.dtype, name="normal_scale")
        scale = _checked(scale, "normal_scale", validate_args)
        normal = Normal(loc, scale)
        dtype = loc.dtype.as_numpy_dtype
        edges = np.linspace(0.0, 1.0, quadrature_size + 3)[1:-1].astype(dtype)
        rank = array_ops.size(normal.batch_shape_tensor())
        shape = array_ops.concat([[-1], creation_ops.ones([rank], rank.dtype)], 0)
        quantiles = normal.quantile(array_ops.reshape(edges, shape))
        weights = SoftmaxCentered().forward(quantiles)
        # The quantiles become the last axis.
        turned = array_ops.concat([math_ops.range(1, 1 + rank), [0]], 0)
        weights = array_ops.transpose(weights, turned)
        batch = normal.batch_shape.with_rank_at_least(1)
        if batch.rank is not None:
            weights.set_shape([*batch.as_list()[:-1], 2, quadrature_size + 1])
        grid = (weights[..., :-1] + weights[..., 1:]) / 2.0
        return grid, creation_ops.fill([quadrature_size], dtype(1.0 / quadrature_size))


def _checked(parameter: Tensor, name: str, validate_args: bool) -> Tensor:
    """A parameter that is for two components."""
    shape, checks = parameter.shape, []
    if shape.rank == 0:
        raise ValueError(
            f"Mixing params must be a (batch of) vector; {name}.rank=0 is not at least one."
        )
    if shape.rank is None and validate_args:
        checks.append(assert_rank_at_least(parameter, 1))
    size = None if shape.rank is None else shape[-1].value
    if size not in (None, 1):
        raise NotImplementedError(
            f"Currently only bimixtures are supported; {name}.shape[-1]={size} is not 1."
        )
    if size is None and validate_args:
        checks.append(assert_equal(array_ops.shape(parameter)[-1], 1))
    with control_dependencies(checks):
        return gen_ops.identity(parameter) if checks else parameter
