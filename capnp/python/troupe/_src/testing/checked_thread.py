"""Threads of tests, whose errors fail them."""

from __future__ import annotations

import threading
import unittest
from typing import Any, Callable, Mapping, Optional, Sequence


class CheckedThread:
    """A thread that a test starts and joins."""

    def __init__(
        self,
        test: unittest.TestCase,
        target: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:
        self._test = test
        self._call: Callable[[], Any] = lambda: target(*args, **kwargs)
        self._thread = threading.Thread(target=self._run)
        self._error: Optional[Exception] = None
        self._is_joined = False

    def _run(self) -> None:
        try:
            self._call()
        except Exception as error:  # which join() tells
            self._error = error

    def start(self) -> None:
        """Starts it."""
        self._thread.start()

    def join(self) -> None:
        """Waits for its end, and fails the test if it was an error."""
        self._is_joined = True
        self._thread.join()
        if self._error is not None:
            self._test.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fails the test if the thread was not joined."""
        if not self._is_joined:
            self._test.fail("A checked thread was not joined.")
