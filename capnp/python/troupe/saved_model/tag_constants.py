"""Tags of graphs."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.saved_model.constants import (
    GPU,
    SERVING,
    TPU,
    TRAINING,
)

__getattr__ = _missing_names(__name__)

__all__ = [
    "GPU",
    "SERVING",
    "TPU",
    "TRAINING",
]
