"""Tags of graphs."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.saved_model.constants import (
    GPU,
    SERVING,
    TPU,
    TRAINING,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "GPU",
    "SERVING",
    "TPU",
    "TRAINING",
]
