"""Chi-squared distributions."""

from __future__ import annotations

from typing import Any, ClassVar, Sequence

from troupe._src.distributions.arguments import floats
from troupe._src.distributions.gamma import Gamma
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import arithmetic_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class Chi2(Gamma):
    """Chi-squared distributions, of the sums of squares of normal numbers."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("df",)

    def __init__(
        self,
        df: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2",
    ) -> None:
        """Distributions of so many squares.

        Args:
            df: The degrees of freedom, positive floats.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            (self._df,) = floats(df, positive=[df] * validate_args)
            concentration, rate = 0.5 * self._df, convert_to_tensor(0.5, self._df.dtype)
        super().__init__(concentration, rate, validate_args, allow_nan_stats, scope)
        self._parameters = parameters

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df


@set_module("troupe.contrib.distributions")
class Chi2WithAbsDf(Chi2):
    """`Chi2` of the whole number below the size of what is given."""

    def __init__(
        self,
        df: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2WithAbsDf",
    ) -> None:
        """Distributions of so many squares.

        Args:
            df: Floats, the whole part of whose sizes are the degrees of freedom.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            whole = gen_ops.floor(arithmetic_ops.abs(convert_to_tensor(df)))
        super().__init__(whole, validate_args, allow_nan_stats, scope)
        self._parameters = parameters
