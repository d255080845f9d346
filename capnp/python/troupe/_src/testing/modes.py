"""Decorators that say in which modes of TensorFlow tests run. There is graph mode only."""

from __future__ import annotations

import functools
import unittest
from typing import Any, Callable, Optional, TypeVar

_Class = TypeVar("_Class", bound=type)
_Test = Callable[..., None]


def run_in_graph_and_eager_modes(
    func: Optional[_Test] = None,
    config: Any = None,
    use_gpu: bool = True,
    reset_test: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Runs a test in graph mode, with a default session; there is no eager execution.

    Args:
        func: The method; None for a decorator.
        config: The options of the session.
        use_gpu: Has no effect.
        reset_test: Has no effect.
        assert_no_eager_garbage: Has no effect.

    Returns:
        The method, or the decorator.

    Raises:
        ValueError: It is a class.
    """

    def decorate(test: _Test) -> _Test:
        if isinstance(test, type):
            raise ValueError(
                "`run_in_graph_and_eager_modes` only supports test methods. "
                "Did you mean to use `run_all_in_graph_and_eager_modes`?"
            )

        @functools.wraps(test)
        def run(self: Any, *args: Any, **kwargs: Any) -> None:
            with self.test_session(use_gpu=use_gpu, config=config):
                test(self, *args, **kwargs)

        return run

    return decorate if func is None else decorate(func)


def run_all_in_graph_and_eager_modes(cls: _Class) -> _Class:
    """Runs all tests of a class in graph mode, with a default session.

    Args:
        cls: The class.

    Returns:
        The class.
    """
    for name, value in list(vars(cls).items()):
        is_test = name.startswith(unittest.TestLoader.testMethodPrefix) and name != "test_session"
        if is_test and callable(value):
            setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls


def run_deprecated_v1(func: Any = None) -> Any:
    """Runs a test, or all tests of a class, in graph mode, as all tests do.

    Args:
        func: The method or class; None for a decorator.

    Returns:
        It, or the decorator.
    """
    return run_deprecated_v1 if func is None else func


def run_v1_only(reason: str, func: Any = None) -> Any:
    """Runs a test as that of TensorFlow 1, as all tests do.

    Args:
        reason: Why it is one of TensorFlow 1 only.
        func: The method or class; None for a decorator.

    Returns:
        It, or the decorator.

    Raises:
        ValueError: The reason is no string.
    """
    if not isinstance(reason, str):
        raise ValueError(f"'reason' should be string, got {type(reason)}")
    return run_deprecated_v1 if func is None else func


def run_v2_only(func: Any = None) -> Any:
    """Skips a test of TensorFlow 2 alone.

    Args:
        func: The method or class; None for a decorator.

    Returns:
        It, or the decorator.
    """
    skip = unittest.skip("Test is only compatible with v2")
    return skip if func is None else skip(func)
