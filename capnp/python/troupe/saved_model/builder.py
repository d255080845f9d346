"""Builder of SavedModels."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.saved_model.builder import (
    Builder as SavedModelBuilder,
)

__getattr__ = _missing_names(__name__)

__all__ = [
    "SavedModelBuilder",
]
