"""Which pixels of an image a feature of a convolutional network depends on."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.receptive_field.compute_order import get_compute_order
from troupe._src.receptive_field.fields import compute_receptive_field_from_graph_def

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["compute_receptive_field_from_graph_def", "get_compute_order"]
