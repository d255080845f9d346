"""Variables of layers, which those read in the dtype in which they compute."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, Optional, Type

from troupe._src.graph.elements import Tensor
from troupe._src.graph.thread_scopes import InheritedLocal
from troupe._src.ops import math_ops
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.variables.variable import Variable


class _Reads(InheritedLocal):
    def __init__(self) -> None:
        super().__init__()
        self.dtype: Optional[DType] = None


_reads = _Reads()


@contextlib.contextmanager
def variables_read_as(dtype: Optional[DTypeLike]) -> Iterator[None]:
    """Lets this thread read such variables in a dtype.

    Args:
        dtype: The dtype; where it is None, or of no floating-point numbers, they are read in their
            own.

    Yields:
        Nothing.
    """
    asked = None if dtype is None else as_dtype(dtype)
    before = _reads.dtype
    _reads.dtype = asked if asked is not None and asked.is_floating else None
    try:
        yield
    finally:
        _reads.dtype = before


@set_module("troupe.keras.mixed_precision.experimental")
class AutoCastVariable(Variable):
    """A variable of floating-point numbers that `variables_read_as` has in another dtype.

    What is assigned to it, its gradients, and its value in checkpoints are of its own dtype.
    """

    @property
    def dtype(self) -> DType:
        """The dtype in which it is read here."""
        return _reads.dtype or self._dtype

    @property
    def true_dtype(self) -> DType:
        """The dtype of its values."""
        return self._dtype

    def read_value(self) -> Tensor:
        return _cast(super().read_value())

    def sparse_read(self, indices: Any, name: Optional[str] = None) -> Tensor:
        return _cast(super().sparse_read(indices, name))

    def _as_tensor(self) -> Tensor:
        return _cast(super()._as_tensor())

    def __repr__(self) -> str:
        return (
            f"<AutoCastVariable '{self.name}' shape={self.shape} dtype={self.dtype.name} "
            f"true_dtype={self.true_dtype.name}>"
        )


def _cast(value: Tensor) -> Tensor:
    if _reads.dtype is None or value.dtype == _reads.dtype:
        return value
    return math_ops.cast(value, _reads.dtype)


# The classes of such variables, by those that they are besides.
_kinds: Dict[Type[Variable], Type[Variable]] = {Variable: AutoCastVariable}


def let_cast(variable: Any) -> Any:
    """Makes a variable such a one, in its place: what knows it already has that, too.

    Args:
        variable: The variable.

    Returns:
        The same; one whose numbers are not floating-point numbers stays as it is.
    """
    own = type(variable)
    if isinstance(variable, Variable) and not issubclass(own, AutoCastVariable):
        if variable._dtype.is_floating:
            if own not in _kinds:
                _kinds[own] = type(AutoCastVariable.__name__, (AutoCastVariable, own), {})
            variable.__class__ = _kinds[own]
    return variable
