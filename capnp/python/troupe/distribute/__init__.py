"""Strategies of distribution, and what finds a cluster's tasks."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.cluster.server import Server
from troupe._src.distribute.cross_device_ops import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from troupe._src.distribute.input_context import InputContext, InputReplicationMode
from troupe._src.distribute.replica_context import (
    ReplicaContext,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from troupe._src.distribute.strategies import MirroredStrategy, OneDeviceStrategy
from troupe._src.distribute.strategy import Strategy
from troupe._src.distribute.strategy_extended import StrategyExtended
from troupe._src.replicas.loss_reductions import get_loss_reduction
from troupe._src.replicas.reduce_op import ReduceOp
from troupe.distribute import cluster_resolver, experimental

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "CrossDeviceOps",
    "HierarchicalCopyAllReduce",
    "InputContext",
    "InputReplicationMode",
    "MirroredStrategy",
    "NcclAllReduce",
    "OneDeviceStrategy",
    "ReduceOp",
    "ReductionToOneDevice",
    "ReplicaContext",
    "Server",
    "Strategy",
    "StrategyExtended",
    "cluster_resolver",
    "experimental",
    "get_loss_reduction",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]
