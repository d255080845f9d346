"""Inputs of models that are exported."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.learn.export_inputs import (
    InputFnOps,
    build_default_serving_input_fn,
    build_parsing_serving_input_fn,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["InputFnOps", "build_default_serving_input_fn", "build_parsing_serving_input_fn"]
