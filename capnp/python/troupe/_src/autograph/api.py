"""What programs say to AutoGraph."""

from __future__ import annotations

import enum
import functools
import inspect
import textwrap
from typing import Any, Callable, Optional

from troupe._src.autograph import transpiler
from troupe._src.autograph.lists import ListStackOpts, list_stack
from troupe._src.control_flow.conversion import set_converter
from troupe._src.set_module import set_module

set_converter(transpiler.converted)


@set_module("troupe.autograph.experimental")
class Feature(enum.Enum):
    """What AutoGraph converts besides control flow and calls, where programs ask for it.

    BUILTIN_FUNCTIONS prints tensors with `print` when a step runs it; EQUALITY_OPERATORS compares
    them by element with `==`; LISTS makes a list that begins empty one of the graph; NAME_SCOPES
    puts the nodes of a function in a scope of its name. The others change nothing: functions always
    order effects, and `assert` is always converted.
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def do_not_convert(func: Optional[Callable[..., Any]] = None) -> Any:
    """Keeps a function, and what it calls, from being converted.

    Args:
        func: The function; None for a decorator.

    Returns:
        A function that does the same, or the decorator.
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def unconverted(*args: Any, **kwargs: Any) -> Any:
        with transpiler.without_conversion():
            return func(*args, **kwargs)

    unconverted.autograph_info__ = None  # type: ignore[attr-defined]
    return unconverted


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much AutoGraph says of what it converts.

    Args:
        level: 0 for nothing; from 3 on, the code that it makes.
        alsologtostdout: Whether it says it on the standard output, too.
    """
    transpiler.set_verbosity(level, alsologtostdout)


def trace(*args: Any) -> None:
    """Prints values when a function is traced, not when it runs.

    Args:
        *args: The values.
    """
    print(*args)


def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """The converted form of a function, whose control flow of tensors is that of the graph.

    `tf.function` and datasets convert the functions that need it themselves.

    Args:
        entity: A function or method; of a method, the result takes the object as well.
        recursive: Whether what it calls is converted, too.
        experimental_optional_features: A `Feature`, or several of them.

    Returns:
        A function.

    Raises:
        ImportError: The package diastatic-malt is not installed.
        ValueError: The function cannot be converted: its source is not known, or uses what cannot
            be.
    """
    try:
        return transpiler.transformed(entity, recursive, experimental_optional_features)
    except (ValueError, AttributeError, KeyError, NameError, NotImplementedError) as error:
        raise ValueError(f"converting {entity}: {type(error).__name__}: {error}") from error


def to_code(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> str:
    """The source of the converted form of a function.

    Args:
        entity: A function or method.
        recursive: Whether what it calls is converted, too.
        experimental_optional_features: A `Feature`, or several of them.

    Returns:
        Code of Python, in which `ag__` is the module of AutoGraph's operators.

    Raises:
        ImportError: The package diastatic-malt is not installed.
        ValueError: The function cannot be converted.
    """
    found = to_graph(entity, recursive, experimental_optional_features)
    return textwrap.dedent(inspect.getsource(found))


def convert(
    recursive: bool = False, optional_features: Any = None, user_requested: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that converts a function when it is called.

    Args:
        recursive: Whether what it calls is converted, too.
        optional_features: A `Feature`, or several of them.
        user_requested: Changes nothing.

    Returns:
        The decorator.
    """

    def decorated(f: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            form = transpiler.converted(f, optional_features, recursive)
            return (form or f)(*args, **kwargs)

        call.autograph_info__ = None  # type: ignore[attr-defined]
        return call

    return decorated


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Gives the loop that it is the first statement of further arguments of `tf.while_loop`.

    It has no effect in a loop of Python.

    Args:
        parallel_iterations: How many iterations may run at once.
        swap_memory: Changes nothing.
        maximum_iterations: After how many iterations the loop ends at the latest.
        shape_invariants: A list of pairs of a variable and the shape that it keeps.
    """


def set_element_type(entity: Any, dtype: Any, shape: Any = None) -> None:
    """Says what a list of the graph has, where the feature LISTS is used.

    Args:
        entity: The list.
        dtype: The dtype of its elements.
        shape: Their shape.
    """


transpiler.directives.update(
    {set_loop_options: "set_loop_options", set_element_type: "set_element_type"}
)


def stack(list_or_tensor: Any, element_dtype: Any = None, strict: bool = True) -> Any:
    """The elements of a list of the graph, or of a TensorArray, as one tensor.

    Args:
        list_or_tensor: The list; a tensor stays as it is.
        element_dtype: The dtype of the elements of a list of the graph.
        strict: Whether something else is an error instead of being returned.

    Returns:
        A tensor, or what was given.

    Raises:
        ValueError: It is no list of the graph, with `strict`.
    """

    def other(value: Any) -> Any:
        if strict:
            raise ValueError(f"{value} must be stackable when strict=True")
        return value

    return list_stack(list_or_tensor, ListStackOpts(element_dtype, other))
