"""Troupe as a side of the comparison: its package, and clusters of troupe-node processes."""

import troupe as tf
from nodes import Nodes as Cluster

__all__ = ["Cluster", "TcpCluster", "tf", "version"]

version = tf.version.TROUPE_VERSION


class TcpCluster(Cluster):
    """Nodes that exchange all tensors over TCP, as if each were on a host of its own."""

    FLAGS = [*Cluster.FLAGS, "--tcp-only"]
