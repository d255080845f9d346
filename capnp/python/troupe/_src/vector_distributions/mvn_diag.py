"""Normal distributions of vectors whose elements are independent."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.scopes import name_scope
from troupe._src.ops import gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.vector_distributions.mvn_linear_operator import (
    MultivariateNormalLinearOperator,
)
from troupe._src.vector_distributions.scales import diagonal_scale


@set_module("troupe.contrib.distributions")
class MultivariateNormalDiag(MultivariateNormalLinearOperator):
    """Normal distributions of vectors whose elements are independent."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        """Distributions of those parameters, which broadcast; the last axis is that of a vector.

        Args:
            loc: The means, by default 0.
            scale_diag: The standard deviations, by default 1 if no multiplier is given.
            scale_identity_multiplier: Is added to all standard deviations of a vector, in the
                shape of the batch.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Neither `loc` nor `scale_diag` says the length of the vectors, or the
                dtypes differ.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            scale = diagonal_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """`MultivariateNormalDiag` whose standard deviations are the softplus of what is given."""

    def __init__(
        self,
        loc: Any,
        scale_diag: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The means.
            scale_diag: Numbers whose softplus are the standard deviations.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            scale = gen_ops.softplus(convert_to_tensor(scale_diag))
        super().__init__(
            loc, scale, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=scope
        )
        self._parameters = parameters
