"""How objects of public classes show themselves, in logs and at a prompt."""

from __future__ import annotations

import re
import reprlib
from typing import Any, Mapping

_shortener = reprlib.Repr()
_shortener.maxother = _shortener.maxstring = 80


def name_of_class(value: object) -> str:
    """The name by which programs know the class of an object: "tf.train.Saver"."""
    module = re.sub(r"^troupe\b", "tf", type(value).__module__)
    return f"{module}.{type(value).__qualname__}"


def represent(value: object, fields: Mapping[str, Any]) -> str:
    """`<tf.train.StopAtStepHook last_step=3>`: an object with those of its fields that are set.

    Args:
        value: The object.
        fields: Their values by their names; None is left out, and long ones are cut.

    Returns:
        The text, for `__repr__`.
    """
    shown = "".join(
        f" {name}={_shortener.repr(field)}" for name, field in fields.items() if field is not None
    )
    return f"<{name_of_class(value)}{shown}>"
