"""Troupe as a side of the comparison: its package, and clusters of troupe-node processes."""

import troupe as tf
from nodes import Nodes as Cluster

__all__ = ["Cluster", "tf", "version"]

version = tf.version.TROUPE_VERSION
