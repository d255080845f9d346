"""How models are exported."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib.learn.utils import input_fn_utils, saved_model_export_utils

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["input_fn_utils", "saved_model_export_utils"]
