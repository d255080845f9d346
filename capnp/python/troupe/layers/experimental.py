"""Layers with variables of their own, whatever variable scopes there are."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.layer_base.style import keras_style_scope, set_keras_style

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["keras_style_scope", "set_keras_style"]
