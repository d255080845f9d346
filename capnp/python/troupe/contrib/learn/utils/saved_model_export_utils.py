"""Strategies of exports."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.learn.export_strategy import (
    garbage_collect_exports,
    make_best_model_export_strategy,
    make_export_strategy,
    make_parsing_export_strategy,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "garbage_collect_exports",
    "make_best_model_export_strategy",
    "make_export_strategy",
    "make_parsing_export_strategy",
]
