"""Staging areas, which hold tuples of tensors from one step to the next."""

from troupe._src.data_flow.staging_area import StagingArea

__all__ = [
    "StagingArea",
]
