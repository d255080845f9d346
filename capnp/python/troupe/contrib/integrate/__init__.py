"""Solutions of ordinary differential equations."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.integrate.adaptive import odeint
from troupe._src.integrate.fixed import odeint_fixed

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["odeint", "odeint_fixed"]
