"""Plugins of the viewer that have files of their own."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib.tensorboard.plugins import projector

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["projector"]
