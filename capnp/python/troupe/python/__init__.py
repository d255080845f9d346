"""Modules that programs import by their place in TensorFlow's source."""

from troupe._src.api.locations import serve_locations as _serve_locations

__getattr__ = _serve_locations("python")

__all__ = []
