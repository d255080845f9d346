"""Strategies whose interface was not settled."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.distribute.strategies import (
    CentralStorageStrategy,
    CollectiveCommunication,
    MultiWorkerMirroredStrategy,
    ParameterServerStrategy,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "CentralStorageStrategy",
    "CollectiveCommunication",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
]
