"""What a device's memory holds; no op tells it, which programs are told by a `NotFoundError`."""

from troupe._src.profiler.memory_stats import bytes_in_use as BytesInUse
from troupe._src.profiler.memory_stats import bytes_limit as BytesLimit
from troupe._src.profiler.memory_stats import max_bytes_in_use as MaxBytesInUse

__all__ = ["BytesInUse", "BytesLimit", "MaxBytesInUse"]
