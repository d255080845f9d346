"""Models of `troupe.keras` as SavedModels of graphs."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.keras_saved_models.exported_models import export_saved_model as save_keras_model
from troupe._src.keras_saved_models.exported_models import load_from_saved_model as load_keras_model

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["load_keras_model", "save_keras_model"]
