"""The parameters of estimators, as scikit-learn asks for them."""

from __future__ import annotations

from typing import Any, Dict, TypeVar

Self = TypeVar("Self", bound="Parameterized")


class Parameterized:
    """An object whose public attributes, but for functions, are its parameters."""

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters by name.

        Args:
            deep: Whether those of parameters that have some are there, too, as `name__parameter`.

        Returns:
            {name: value}.
        """
        found: Dict[str, Any] = {}
        for name, value in vars(self).items():
            if name.startswith("_") or callable(value):
                continue
            if deep and hasattr(value, "get_params"):
                for own, part in value.get_params().items():
                    found[f"{name}__{own}"] = part
            found[name] = value
        return found

    def set_params(self: Self, **params: Any) -> Self:
        """Changes parameters.

        Args:
            **params: Values by name, those of parameters of parameters as `name__parameter`.

        Returns:
            This object.

        Raises:
            ValueError: There is no such parameter.
        """
        known = self.get_params(deep=True) if params else {}
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in known:
                shown = self if rest else type(self).__name__
                raise ValueError(
                    f"Invalid parameter {name} for estimator {shown}. Check the list of available "
                    "parameters with `estimator.get_params().keys()`."
                )
            if rest:
                known[name].set_params(**{rest: value})
            else:
                setattr(self, name, value)
        return self
