"""A base class for the tests of programs, on Python's unittest."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import random
import re
import shutil
import sys
import tempfile
import unittest
from typing import Any, Callable, Iterator, List, Optional, Sequence

import numpy as np

from troupe._src.graph import random_seed
from troupe._src.graph.thread_scopes import defaults
from troupe._src.graph.graph import (
    Graph,
    get_default_graph,
    get_default_session,
    reset_default_graph,
)
from troupe._src.messages.config import ConfigProto
from troupe._src.platform import app, flags
from troupe._src.platform.version import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.testing import flags_of_tests
from troupe._src.testing.assertions import Assertions
from troupe._src.testing.benchmark import run_benchmarks
from troupe._src.testing.checked_thread import CheckedThread
from troupe._src.testing.command_assertions import CommandAssertions
from troupe._src.testing.temporary_files import TemporaryFiles

SEED = 87654321
flags_of_tests.define()


@set_module("troupe.test")
class TestCase(Assertions, CommandAssertions, TemporaryFiles):
    """Gives each test an empty default graph and the same random seed."""

    # Of the class, as a test's own setUp() may leave this one out.
    _temporary: Optional[str] = None
    _cached_session: Optional[Session] = None
    _cached_config: Optional[ConfigProto] = None
    _threads: Optional[List[CheckedThread]] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # A test of absl and of this class has the assertions of this one, though it comes last.
        for name in ("assertRaisesWithPredicateMatch", "assertStartsWith", "assertItemsEqual"):
            if getattr(cls, name).__module__ == "absl.testing.absltest":
                setattr(cls, name, getattr(TestCase, name))

    def setUp(self) -> None:
        """Makes an empty default graph, and sets the seeds."""
        super().setUp()
        random.seed(SEED)
        np.random.seed(SEED)
        defaults.graphs.clear()  # where what ran before is still within graphs or sessions
        reset_default_graph()
        random_seed.set_random_seed(SEED)

    def tearDown(self) -> None:
        """Closes the session of `cached_session`; threads of `checkedThread` must have ended."""
        for thread in self._threads or []:
            thread.check_termination()
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None
        super().tearDown()

    def checkedThread(
        self, target: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> CheckedThread:
        """A thread whose errors fail the test.

        Args:
            target: What it runs.
            args: The arguments of that.
            kwargs: Likewise, by name.

        Returns:
            An object with `start`, `join` and `is_alive`; the test must join the thread.
        """
        thread = CheckedThread(self, target, args, kwargs or {})
        self._threads = [*(self._threads or []), thread]
        return thread

    def get_temp_dir(self) -> str:
        """A folder of the test, which is removed at the end of the process."""
        if self._temporary is None:
            self._temporary = tempfile.mkdtemp(dir=get_temp_dir())
        return self._temporary

    def assertProtoEqualsVersion(
        self, expected: str, actual: Any, producer: int = GRAPH_DEF_VERSION,
        min_consumer: int = GRAPH_DEF_VERSION_MIN_CONSUMER, msg: Any = None,
    ) -> None:  # fmt: skip
        """A GraphDef is what a text says, of those versions.

        Args:
            expected: The text, without the versions.
            actual: The message.
            producer: The version of what has made it.
            min_consumer: The least version of what reads it.
            msg: What the failure says, too.
        """
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }}\n"
        self.assertProtoEquals(versions + expected, actual, msg)

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
        session = self._open_cached_session(graph, config, force_gpu)
        if graph is not None and graph is not session.graph:
            raise ValueError(
                "The graph used to get the cached session is different than the one that was used "
                "to create the session. Maybe create a new session with self.session()"
            )
        if config != self._cached_config:
            raise ValueError(
                "The config used to get the cached session is different than the one that was used "
                "to create the session. Maybe create a new session with self.session()"
            )
        with session.graph.as_default(), session.as_default():
            yield session

    def _open_cached_session(
        self, graph: Optional[Graph], config: Optional[ConfigProto], force_gpu: bool
    ) -> Session:
        if self._cached_session is None:
            options = _options(config, force_gpu)
            self._cached_session = Session("", graph or get_default_graph(), options)
            self._cached_config = config
        return self._cached_session

    @property
    def test_session(self) -> Any:
        """`cached_session` for any options, or `session` with a graph.

        A property, because unittest would run a method of this name as a test.
        """
        return self._session_of_test

    @contextlib.contextmanager
    def _session_of_test(
        self,
        graph: Optional[Graph] = None,
        config: Optional[ConfigProto] = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[Session]:
        if graph is not None:
            with self.session(graph, config, use_gpu, force_gpu) as session:
                yield session
            return
        session = self._open_cached_session(None, config, force_gpu)
        with session.graph.as_default(), session.as_default():
            yield session

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
    """Runs the tests of the program, or the benchmarks of `--benchmarks=REGEX`, and exits.

    Args:
        argv: The command line; None for that of the process.
    """
    words = sys.argv if argv is None else argv
    for word in words:
        if re.match("--?benchmarks=", word):
            words.remove(word)
            app.run(lambda _: run_benchmarks(word.partition("=")[2]), argv=words)
    unittest.main(argv=flags.parse_flags(words))


@functools.lru_cache(None)
def get_temp_dir() -> str:
    """The folder of the process for files of tests, which is removed at its end."""
    parent = os.environ.get("TEST_TMPDIR")
    if parent:
        os.makedirs(parent, exist_ok=True)
    folder = tempfile.mkdtemp(dir=parent or None)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def is_built_with_rocm() -> bool:
    """False: there are no GPU kernels."""
    return False


def is_built_with_xla() -> bool:
    """False: graphs are not compiled."""
    return False
