"""What finds the tasks of a cluster."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.resolvers.managed import (
    GCEClusterResolver,
    KubernetesClusterResolver,
    SlurmClusterResolver,
)
from troupe._src.resolvers.resolver import (
    ClusterResolver,
    SimpleClusterResolver,
    TFConfigClusterResolver,
)
from troupe._src.resolvers.union import TPUClusterResolver
from troupe._src.resolvers.union import UnionClusterResolver as UnionResolver

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "ClusterResolver",
    "GCEClusterResolver",
    "KubernetesClusterResolver",
    "SimpleClusterResolver",
    "SlurmClusterResolver",
    "TFConfigClusterResolver",
    "TPUClusterResolver",
    "UnionResolver",
]
