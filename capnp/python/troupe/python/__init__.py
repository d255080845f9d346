"""Modules that programs import by their place in TensorFlow's source."""

from typing import TYPE_CHECKING

from troupe._src.api.locations import serve_locations as _serve_locations

if not TYPE_CHECKING:
    __getattr__, __dir__ = _serve_locations("python")

__all__ = []
