"""Cluster definitions, and the role that TF_CONFIG gives a program."""

from troupe._src.cluster.cluster_spec import (
    ClusterDef,
    ClusterSpec,
    Role,
    ServerDef,
    role_from_tf_config,
)

__all__ = [
    "ClusterDef",
    "ClusterSpec",
    "Role",
    "ServerDef",
    "role_from_tf_config",
]
