"""Summaries named after their tensors."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim.named_summaries import (
    add_histogram_summaries,
    add_histogram_summary,
    add_image_summaries,
    add_image_summary,
    add_scalar_summaries,
    add_scalar_summary,
    add_zero_fraction_summaries,
    add_zero_fraction_summary,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "add_histogram_summaries",
    "add_histogram_summary",
    "add_image_summaries",
    "add_image_summary",
    "add_scalar_summaries",
    "add_scalar_summary",
    "add_zero_fraction_summaries",
    "add_zero_fraction_summary",
]
