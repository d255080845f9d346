"""Helpers for tests of programs, on Python's unittest."""

from __future__ import annotations

import contextlib
import random
import socket
import tempfile
import unittest
from typing import Any, Iterator, List, Optional, Tuple
from unittest import mock

import numpy as np

from troupe import _seeds
from troupe._array import placeholder
from troupe._config import ConfigProto
from troupe._gradients import gradients
from troupe._graph import Graph, get_default_graph, get_default_session, reset_default_graph
from troupe._session import Session
from troupe._test_assertions import Assertions

SEED = 87654321


class TestCase(Assertions):
    """Each test has an empty default graph and the same random numbers, and compares arrays."""

    def setUp(self) -> None:
        super().setUp()
        random.seed(SEED)
        np.random.seed(SEED)
        reset_default_graph()
        _seeds.set_random_seed(SEED)
        self._temporary: Optional[tempfile.TemporaryDirectory[str]] = None

    def tearDown(self) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()
        super().tearDown()

    def get_temp_dir(self) -> str:
        """A folder that ends with the test."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory()
        return self._temporary.name

    @contextlib.contextmanager
    def session(
        self,
        graph: Optional[Graph] = None,
        config: Optional[ConfigProto] = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
        target: str = "",
    ) -> Iterator[Session]:
        """A session, which is the default one within."""
        with Session(target, graph or get_default_graph(), config) as session:
            yield session

    cached_session = session

    @property
    def test_session(self) -> Any:
        """`session`; a property, as unittest would take a method of that name for a test."""
        return self.session

    def evaluate(self, tensors: Any) -> Any:
        """The values in the default session."""
        session = get_default_session()
        if session is None:
            with Session() as fresh:
                return fresh.run(tensors)
        return session.run(tensors)


def main(argv: Optional[List[str]] = None) -> None:
    """Runs the tests of the program."""
    unittest.main(argv=argv)


def get_temp_dir() -> str:
    """A new folder."""
    return tempfile.mkdtemp()


def is_gpu_available(*_: Any, **__: Any) -> bool:
    return False


def is_built_with_cuda() -> bool:
    return False


def gpu_device_name() -> str:
    """None: ""."""
    return ""


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Tuple[Any, Any]:
    """The derivatives of y by x, as gradients says and as small differences do: [x's, y's size]."""
    session = get_default_session()
    if session is None:
        raise ValueError("compute_gradient needs a default session")
    if init_targets is not None:
        session.run(init_targets)
    kind = x.dtype.as_numpy_dtype
    first = np.random.random_sample(x_shape) if x_init_value is None else x_init_value
    point, more = np.array(first, kind), dict(extra_feed_dict or {})
    x_size, y_size = int(np.prod(x_shape)), int(np.prod(y_shape))
    by_gradients, by_differences = (np.zeros((x_size, y_size), kind) for _ in range(2))
    arriving = placeholder(y.dtype, y_shape)
    (derivative,) = gradients(y, [x], [arriving])
    if derivative is None:
        raise ValueError(f"{y!r} does not depend on {x!r}")
    for column in range(y_size):
        one = np.zeros(y_shape, y.dtype.as_numpy_dtype)
        one.flat[column] = 1
        feeds = {x: point, arriving: one, **more}
        by_gradients[:, column] = session.run(derivative, feeds).ravel()
    for row in range(x_size):
        values = []
        for step in (delta, -delta):
            moved = point.copy()
            moved.flat[row] += step
            values.append(session.run(y, {x: moved, **more}).ravel())
        by_differences[row] = (values[0] - values[1]) / (2 * delta)
    return by_gradients, by_differences


def compute_gradient_error(
    x: Any, x_shape: Any, y: Any, y_shape: Any, *args: Any, **kw: Any
) -> Any:
    """How far the two of compute_gradient are apart at most."""
    one, other = compute_gradient(x, x_shape, y, y_shape, *args, **kw)
    return float(np.abs(one - other).max(initial=0.0))


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "troupe",
    worker_config: Optional[ConfigProto] = None,
    ps_config: Optional[ConfigProto] = None,
) -> Tuple[List[Any], List[Any]]:
    """(workers, parameter servers): servers of one cluster, all in this process."""
    from troupe.train.server import Server

    ports = iter(_free_ports(num_workers + num_ps))
    cluster = {
        "worker": [f"localhost:{next(ports)}" for _ in range(num_workers)],
        "ps": [f"localhost:{next(ports)}" for _ in range(num_ps)],
    }
    made = [
        [Server(cluster, job, index, config=config) for index in range(len(cluster[job]))]
        for job, config in (("worker", worker_config), ("ps", ps_config))
    ]
    return made[0], made[1]


def _free_ports(count: int) -> List[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


__all__ = [
    "TestCase",
    "compute_gradient",
    "compute_gradient_error",
    "create_local_cluster",
    "get_temp_dir",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_gpu_available",
    "main",
    "mock",
]
