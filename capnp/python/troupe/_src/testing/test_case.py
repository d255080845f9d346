"""A base class for the tests of programs, on Python's unittest."""

from __future__ import annotations

import contextlib
import random
import tempfile
import unittest
from typing import Any, Iterator, List, Optional

import numpy as np

from troupe._src.graph import random_seed
from troupe._src.graph.graph import (
    Graph,
    get_default_graph,
    get_default_session,
    reset_default_graph,
)
from troupe._src.messages.config import ConfigProto
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.testing.assertions import Assertions

SEED = 87654321


@set_module("troupe.test")
class TestCase(Assertions):
    """Gives each test an empty default graph and the same random seed."""

    # Of the class, as a test's own setUp() may leave this one out.
    _temporary: Optional[tempfile.TemporaryDirectory[str]] = None
    _cached_session: Optional[Session] = None
    _cached_config: Optional[ConfigProto] = None

    def setUp(self) -> None:
        """Makes an empty default graph, and sets the seeds."""
        super().setUp()
        random.seed(SEED)
        np.random.seed(SEED)
        reset_default_graph()
        random_seed.set_random_seed(SEED)

    def tearDown(self) -> None:
        """Closes the session of `cached_session`, and removes the folder of `get_temp_dir`."""
        if self._cached_session is not None:
            self._cached_session.close()
        if self._temporary is not None:
            self._temporary.cleanup()
        super().tearDown()

    def get_temp_dir(self) -> str:
        """A folder that is removed after the test."""
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
        """A context with a default session.

        Args:
            graph: Its graph, by default the default graph.
            config: Its options; by default nodes may run elsewhere than on a device that is not
                there.
            use_gpu: Has no effect.
            force_gpu: Takes that default away.
            target: A node of a cluster; "" for this process.

        Yields:
            The session.
        """
        options = _options(config, force_gpu)
        with Session(target, graph or get_default_graph(), options) as session:
            yield session

    @contextlib.contextmanager
    def cached_session(
        self,
        graph: Optional[Graph] = None,
        config: Optional[ConfigProto] = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[Session]:
        """A context with the test's own session as the default, which ends with the test.

        Args:
            graph: Its graph, by default the default one of the first call.
            config: Its options; by default nodes may run elsewhere than on a device that is not
                there.
            use_gpu: Has no effect.
            force_gpu: Takes that default away.

        Yields:
            The session.

        Raises:
            ValueError: If it has another graph, or got other options, in an earlier context.
        """
        if self._cached_session is None:
            options = _options(config, force_gpu)
            self._cached_session = Session("", graph or get_default_graph(), options)
            self._cached_config = config
        if graph is not None and graph is not self._cached_session.graph:
            raise ValueError(
                "The graph used to get the cached session is different than the one that was used "
                "to create the session. Maybe create a new session with self.session()"
            )
        if config != self._cached_config:
            raise ValueError(
                "The config used to get the cached session is different than the one that was used "
                "to create the session. Maybe create a new session with self.session()"
            )
        session = self._cached_session
        with session.graph.as_default(), session.as_default():
            yield session

    @property
    def test_session(self) -> Any:
        """`cached_session`, or `session` for another graph than the default one.

        A property, because unittest would run a method of this name as a test.
        """
        return self._session_for_graph

    def _session_for_graph(self, graph: Optional[Graph] = None, *args: Any, **kwargs: Any) -> Any:
        return (self.cached_session if graph is None else self.session)(graph, *args, **kwargs)

    def evaluate(self, tensors: Any) -> Any:
        """The values in the default session, or in that of `cached_session`.

        Args:
            tensors: What `tf.Session.run` fetches.

        Returns:
            What `tf.Session.run` gives.
        """
        session = get_default_session()
        if session is None:
            with self.cached_session() as own_session:
                return own_session.run(tensors)
        return session.run(tensors)


def _options(config: Optional[ConfigProto], force_gpu: bool) -> ConfigProto:
    return ConfigProto(allow_soft_placement=not force_gpu) if config is None else config


def main(argv: Optional[List[str]] = None) -> None:
    """Runs the tests of the program, and exits.

    Args:
        argv: The command line; None for that of the process.
    """
    unittest.main(argv=argv)


def get_temp_dir() -> str:
    """A new folder."""
    return tempfile.mkdtemp()


def is_built_with_rocm() -> bool:
    """False: there are no GPU kernels."""
    return False


def is_built_with_xla() -> bool:
    """False: graphs are not compiled."""
    return False
