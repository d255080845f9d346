"""What programs import from `tensorflow.python.framework.test_util`, for tests of graphs."""

from __future__ import annotations

import functools
import unittest
from typing import Any, Callable, ContextManager, Dict, Optional, TypeVar

from troupe._src.graph import scopes
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.ops.array_ops import transpose
from troupe._src.session.local_gpus import gpu_device_name, is_gpu_available

F = TypeVar("F")


def assert_ops_in_graph(expected_ops: Dict[str, str], graph: Graph) -> Dict[str, Any]:
    """The nodes of those names in a graph.

    Args:
        expected_ops: {name: type of its op}.
        graph: The graph.

    Returns:
        {name: node}, with the nodes of its message.

    Raises:
        ValueError: A node is missing, or has another op.
    """
    found = {node.name: node for node in graph.as_graph_def().node if node.name in expected_ops}
    for name, node in found.items():
        if node.op != expected_ops[name]:
            raise ValueError(
                f"Expected op for node {name} is different. {expected_ops[name]} vs {node.op}"
            )
    if set(found) != set(expected_ops):
        raise ValueError(
            f"Not all expected ops are present. Expected {list(expected_ops)}, found {list(found)}"
        )
    return found


def enable_c_shapes(fn: F) -> F:
    """The function itself: shapes are always those of the runtime."""
    return fn


with_c_shapes = enable_c_shapes


def skip_if(condition: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of functions that do nothing under a condition.

    Args:
        condition: A bool, or a function that gives one when the decorated one is called.

    Returns:
        The decorator.
    """

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            skip = condition() if callable(condition) else condition
            return None if skip else function(*args, **kwargs)

        return wrapper

    return decorator


def _itself(function: Any) -> Any:
    return function


def run_deprecated_v1(func: Any = None) -> Any:
    """The function or class itself, or a decorator that gives it: a test has a graph here."""
    return _itself if func is None else func


deprecated_graph_mode_only = run_deprecated_v1


def run_v1_only(reason: str, func: Any = None) -> Any:
    """Likewise.

    Args:
        reason: Why it is no test of TensorFlow 2.
        func: The function or class.

    Returns:
        It, or a decorator that gives it.

    Raises:
        ValueError: The reason is no text.
    """
    if not isinstance(reason, str):
        raise ValueError(f"'reason' should be string, got {type(reason)}")
    return run_deprecated_v1(func)


def _skipping(why: Callable[[], Optional[str]], func: Any) -> Any:
    def decorator(function: Any) -> Any:
        @functools.wraps(function)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
            reason = why()
            if reason is not None:
                self.skipTest(reason)
            return function(self, *args, **kwargs)

        return decorated

    return decorator if func is None else decorator(func)


def run_v2_only(func: Any = None) -> Any:
    """A test that is always skipped, or a decorator that makes one: it is one of TensorFlow 2."""
    return _skipping(lambda: "Test is only compatible with v2", func)


def run_gpu_only(func: Any = None) -> Any:
    """A test that is skipped without a GPU, or a decorator that makes one."""
    return _skipping(lambda: None if is_gpu_available() else "Test requires GPU", func)


run_cuda_only = run_gpu_only


def run_in_graph_and_eager_modes(
    func: Any = None,
    config: Any = None,
    use_gpu: bool = True,
    reset_test: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """A test with a session as the default one, or a decorator that makes it; never without one.

    Args:
        func: The test.
        config: The options of its session.
        use_gpu: As of the session of a test.
        reset_test: Has no effect, as the test runs once.
        assert_no_eager_garbage: Likewise.

    Returns:
        It, or a decorator.

    Raises:
        ValueError: It is a class.
    """

    def decorator(function: Any) -> Any:
        if isinstance(function, type):
            raise ValueError(
                "`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use "
                "`run_all_in_graph_and_eager_modes`?"
            )

        @functools.wraps(function)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> None:
            with self.test_session(use_gpu=use_gpu, config=config):
                function(self, *args, **kwargs)

        return decorated

    return decorator if func is None else decorator(func)


def run_all_in_graph_and_eager_modes(cls: Any) -> Any:
    """Gives each test of a class a session as the default one.

    Args:
        cls: The class.

    Returns:
        The class.
    """
    for name in unittest.defaultTestLoader.getTestCaseNames(cls):
        skips = name.startswith(("testSkipEager", "test_skip_eager")) or name == "test_session"
        if not skips and callable(getattr(cls, name, None)):
            setattr(cls, name, run_in_graph_and_eager_modes(getattr(cls, name)))
    return cls


def for_all_test_methods(
    decorator: Callable[..., Any], *args: Any, **kwargs: Any
) -> Callable[[Any], Any]:
    """A decorator of classes that decorates each test.

    Args:
        decorator: What makes the decorator of a test, of the other arguments.
        *args: What it takes.
        **kwargs: Likewise, by name.

    Returns:
        The decorator of classes.
    """

    def decorate(cls: Any) -> Any:
        for name in unittest.defaultTestLoader.getTestCaseNames(cls):
            if name != "test_session":
                setattr(cls, name, decorator(*args, **kwargs)(getattr(cls, name)))
        return cls

    return decorate


def device(use_gpu: bool) -> ContextManager[Any]:
    """A context of nodes on a GPU, if there is one and it is wanted; else on the CPU."""
    return scopes.device((gpu_device_name() if use_gpu else "") or "/device:CPU:0")


def use_gpu() -> ContextManager[Any]:
    """A context of nodes on a GPU, if there is one."""
    return device(use_gpu=True)


def force_gpu() -> ContextManager[Any]:
    """A context of nodes on a GPU, which must be there."""
    return get_default_graph().device("/device:GPU:0")


def force_cpu() -> ContextManager[Any]:
    """A context of nodes on the CPU."""
    return get_default_graph().device("/device:CPU:0")


def _moved(tensor_or_sizes: Any, axes: Dict[int, Any]) -> Any:
    if isinstance(tensor_or_sizes, Tensor):
        return transpose(tensor_or_sizes, axes[len(tensor_or_sizes.shape)])
    return [tensor_or_sizes[axis] for axis in axes[len(tensor_or_sizes)]]


def NHWCToNCHW(input_tensor: Any) -> Any:
    """A tensor of pictures, or its sizes, with the channels before the space."""
    return _moved(input_tensor, {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]})


def NCHWToNHWC(input_tensor: Any) -> Any:
    """A tensor of pictures, or its sizes, with the channels after the space."""
    return _moved(input_tensor, {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]})
