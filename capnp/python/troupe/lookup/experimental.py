"""Tables in buckets."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.lookup.dense_table import DenseHashTable

__getattr__ = _missing_names(__name__)

__all__ = ["DenseHashTable"]
