"""Distributions whose parameters are the softplus of what is given, and so always positive."""

from __future__ import annotations

from typing import Any

from troupe._src.distributions.beta import Beta
from troupe._src.distributions.gamma import Exponential, Gamma
from troupe._src.distributions.normal import Laplace, Normal
from troupe._src.distributions.student_t import StudentT
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import arithmetic_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.scalar_distributions.inverse_gamma import InverseGamma
from troupe._src.set_module import set_module


def _softplus(value: Any, name: str) -> Tensor:
    return gen_ops.softplus(convert_to_tensor(value), name=f"softplus_{name}")


@set_module("troupe.contrib.distributions")
class BetaWithSoftplusConcentration(Beta):
    """`Beta` of the softplus of what is given."""

    def __init__(
        self,
        concentration1: Any,
        concentration0: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "BetaWithSoftplusConcentration",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            concentration1: Numbers whose softplus are the weights of 1.
            concentration0: Numbers whose softplus are the weights of 0.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            concentration1 = _softplus(concentration1, "concentration1")
            concentration0 = _softplus(concentration0, "concentration0")
        super().__init__(concentration1, concentration0, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class GammaWithSoftplusConcentrationRate(Gamma):
    """`Gamma` of the softplus of what is given."""

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "GammaWithSoftplusConcentrationRate",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            concentration: Numbers whose softplus are the concentrations.
            rate: Numbers whose softplus are the rates.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            concentration = _softplus(concentration, "concentration")
            rate = _softplus(rate, "rate")
        super().__init__(concentration, rate, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """`InverseGamma` of the softplus of what is given."""

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGammaWithSoftplusConcentrationRate",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            concentration: Numbers whose softplus are the concentrations.
            rate: Numbers whose softplus are the rates.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            concentration = _softplus(concentration, "concentration")
            rate = _softplus(rate, "rate")
        super().__init__(concentration, rate, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class ExponentialWithSoftplusRate(Exponential):
    """`Exponential` of the softplus of what is given."""

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExponentialWithSoftplusRate",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            rate: Numbers whose softplus are the rates.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            rate = _softplus(rate, "rate")
        super().__init__(rate, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class LaplaceWithSoftplusScale(Laplace):
    """`Laplace` of the softplus of what is given as a scale."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "LaplaceWithSoftplusScale",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The means.
            scale: Numbers whose softplus are the mean distances from them.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            scale = _softplus(scale, "scale")
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class NormalWithSoftplusScale(Normal):
    """`Normal` of the softplus of what is given as a scale."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NormalWithSoftplusScale",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The means.
            scale: Numbers whose softplus are the standard deviations.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            scale = _softplus(scale, "scale")
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters


@set_module("troupe.contrib.distributions")
class StudentTWithAbsDfSoftplusScale(StudentT):
    """`StudentT` of the whole part of the size of `df` and of the softplus of `scale`."""

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentTWithAbsDfSoftplusScale",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            df: Numbers, the whole part of whose sizes are the degrees of freedom.
            loc: The locations.
            scale: Numbers whose softplus are the scales.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            df = gen_ops.floor(arithmetic_ops.abs(convert_to_tensor(df)))
            scale = _softplus(scale, "scale")
        super().__init__(df, loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
