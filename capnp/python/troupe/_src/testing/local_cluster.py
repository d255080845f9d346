"""Clusters whose servers are all in this process."""

from __future__ import annotations

import socket
from typing import Any, List, Optional, Tuple

from troupe._src.cluster.server import Server
from troupe._src.messages.config import ConfigProto


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "troupe",
    worker_config: Optional[ConfigProto] = None,
    ps_config: Optional[ConfigProto] = None,
) -> Tuple[List[Any], List[Any]]:
    """The servers of one cluster, all in this process, on free ports.

    Args:
        num_workers: The number of tasks of the job "worker".
        num_ps: The number of tasks of the job "ps".
        protocol: Has no effect.
        worker_config: The options of the workers.
        ps_config: The options of the parameter servers.

    Returns:
        The servers of the workers, and those of the parameter servers.

    Raises:
        OpError: A server cannot be started.
    """
    ports = iter(_free_ports(num_workers + num_ps))
    cluster = {
        "worker": [f"localhost:{next(ports)}" for _ in range(num_workers)],
        "ps": [f"localhost:{next(ports)}" for _ in range(num_ps)],
    }
    servers = [
        [Server(cluster, job, index, config=config) for index in range(len(cluster[job]))]
        for job, config in (("worker", worker_config), ("ps", ps_config))
    ]
    return servers[0], servers[1]


def _free_ports(count: int) -> List[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
