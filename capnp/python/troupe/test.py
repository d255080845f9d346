"""Helpers for tests of programs, on Python's unittest."""

from __future__ import annotations

import contextlib
import socket
import tempfile
import unittest
from typing import Any, Iterator, List, Optional, Tuple

import numpy as np

from troupe._config import ConfigProto
from troupe._graph import Graph, get_default_graph, reset_default_graph
from troupe._session import Session


class TestCase(unittest.TestCase):
    """Each test has an empty default graph, and compares arrays."""

    def setUp(self) -> None:
        super().setUp()
        reset_default_graph()
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
        from troupe._graph import get_default_session

        session = get_default_session()
        if session is None:
            with Session() as fresh:
                return fresh.run(tensors)
        return session.run(tensors)

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """All elements are the same."""
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b), err_msg=msg or "")

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """All elements are about the same, also in nested lists and dicts."""
        if isinstance(a, dict):
            self.assertEqual(set(a), set(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
            return
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol, atol, err_msg=msg or "")

    def assertNear(self, f1: float, f2: float, err: float, msg: Any = None) -> None:
        self.assertLessEqual(abs(f1 - f2), err, msg)

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: Any = None) -> None:
        self.assertEqual(list(np_array.shape), tf_tensor.get_shape().as_list(), msg)

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        from troupe import errors

        return self.assertRaisesRegex(errors.OpError, expected_err_re_or_predicate)


def main(argv: Optional[List[str]] = None) -> None:
    """Runs the tests of the program."""
    unittest.main(argv=argv)


def get_temp_dir() -> str:
    """A new folder."""
    return tempfile.mkdtemp()


def is_gpu_available(*_: Any, **__: Any) -> bool:
    return False


def create_local_cluster(
    num_workers: int, num_ps: int, protocol: str = "troupe", **_: Any
) -> Tuple[List[Any], List[Any]]:
    """(workers, parameter servers): servers of one cluster, all in this process."""
    from troupe.train.server import Server

    ports = iter(_free_ports(num_workers + num_ps))
    cluster = {
        "worker": [f"localhost:{next(ports)}" for _ in range(num_workers)],
        "ps": [f"localhost:{next(ports)}" for _ in range(num_ps)],
    }
    made = [
        [Server(cluster, job, index) for index in range(len(cluster[job]))]
        for job in ("worker", "ps")
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
