"""Strategies of distribution, as they were called before `troupe.distribute`."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.distribute.input_context import InputContext
from troupe._src.distribute.replica_context import (
    ReplicaContext,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from troupe._src.distribute.cross_device_ops import CrossDeviceOps, HierarchicalCopyAllReduce
from troupe._src.distribute.cross_device_ops import CrossDeviceOps as AllReduceCrossDeviceOps
from troupe._src.distribute.strategies import CollectiveAllReduceStrategy, OneDeviceStrategy
from troupe._src.distribute.strategies import ContribMirroredStrategy as MirroredStrategy
from troupe._src.distribute.strategies import (
    ContribParameterServerStrategy as ParameterServerStrategy,
)
from troupe._src.distribute.strategy import Strategy as DistributionStrategy
from troupe._src.replicas.loss_reductions import get_loss_reduction

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AllReduceCrossDeviceOps",
    "CollectiveAllReduceStrategy",
    "CrossDeviceOps",
    "DistributionStrategy",
    "HierarchicalCopyAllReduce",
    "InputContext",
    "MirroredStrategy",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "ReplicaContext",
    "get_loss_reduction",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]
