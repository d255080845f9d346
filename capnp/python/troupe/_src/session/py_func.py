"""Functions of Python as ops: `py_func`."""

from __future__ import annotations

import itertools
import secrets
import traceback
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type

import numpy as np

from troupe import _native
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import to_native, to_numpy
from troupe._src.types import dtypes, errors
from troupe._src.types.dtypes import DType

TRACEBACK_FRAMES_MAX = 16

# In this order, as some of them derive from others.
_CODES: Dict[Type[BaseException], int] = {
    ValueError: errors.INVALID_ARGUMENT,
    TypeError: errors.INVALID_ARGUMENT,
    StopIteration: errors.OUT_OF_RANGE,
    MemoryError: errors.RESOURCE_EXHAUSTED,
    NotImplementedError: errors.UNIMPLEMENTED,
}


class _Function:
    """A registered function, which lives as long as the graph with its node."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call


_functions: weakref.WeakValueDictionary[str, _Function] = weakref.WeakValueDictionary()
_numbers = itertools.count()
# Tokens of two programs differ, so that none calls a function of its own for another's.
_program = secrets.token_hex(4)


def py_func(
    func: Callable[..., Any],
    inp: Sequence[Any],
    Tout: Any,  # noqa: N803
    stateful: bool = True,
    name: Optional[str] = None,
) -> Any:
    """The results of a Python function, which each step calls with the values of `inp` as arrays.

    An exception is an error of the step: ValueError and TypeError become InvalidArgumentError,
    StopIteration OutOfRangeError, MemoryError ResourceExhaustedError, NotImplementedError
    UnimplementedError; errors of steps keep their class; all others become UnknownError.

    Several calls may run at once, each in a thread of its own. A step that is cancelled does not
    wait for them. The function may change its arguments, but not what it has returned. It belongs
    to this program: the operation runs in sessions of this process, and on servers that it has
    started (`tf.train.Server`), to one of which `tf.device` has to pin it. No gradient passes
    through it.

    Args:
        func: Returns an array, or a list of them, of the dtypes in `Tout`.
        inp: The tensors whose values it gets.
        Tout: A dtype, or a list of them.
        stateful: False if its results depend on its arguments alone.

    Returns:
        A tensor, or a list of them where `Tout` is one. Their shapes are not known.

    Raises:
        ValueError: `func` is no function.
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable, got func of type {type(func)}")
    function = _Function(func)
    token = f"pyfunc_{next(_numbers)}_{_program}"
    is_list = isinstance(Tout, (list, tuple))
    add = raw_ops.PyFunc if stateful else raw_ops.PyFuncStateless
    results = add(input=inp, token=token, Tout=list(Tout) if is_list else [Tout], name=name)
    _functions[token] = function
    get_default_graph()._state.setdefault("functions", []).append(function)
    return results if is_list else results[0]


def numpy_function(
    func: Optional[Callable[..., Any]] = None,
    inp: Optional[Sequence[Any]] = None,
    Tout: Any = None,  # noqa: N803
    stateful: bool = True,
    name: Optional[str] = None,
) -> Any:
    """As `py_func`.

    Args:
        func: Returns an array, or a list of them, of the dtypes in `Tout`.
        inp: The tensors whose values it gets.
        Tout: A dtype, or a list of them.
        stateful: False if its results depend on its arguments alone.

    Returns:
        A tensor, or a list of them where `Tout` is one.

    Raises:
        ValueError: `func` is no function.
    """
    return py_func(func, inp, Tout, stateful, name)  # type: ignore[arg-type]


def explain_placement(error: errors.OpError) -> None:
    """Adds to the error of a device that cannot call functions which ones can."""
    is_function = error.node_op in ("PyFunc", "PyFuncStateless")
    if is_function and isinstance(error, errors.UnimplementedError) and not error.device:
        error.notes.append(
            "a Python function runs in the program that added it: in a session without a target, "
            "or with tf.device on a tf.train.Server that the program has started"
        )


def function_of(token: Any) -> Any:
    """The function of a node with that token; ValueError where this program has none."""
    text = token.decode() if isinstance(token, bytes) else str(token)
    function = _functions.get(text)
    if function is None:
        raise ValueError(
            f"callback {text} is not found: this program has not added the operation, or the "
            "graph with it is gone"
        )
    return function.call


def call_function(
    token: str, arguments: List[_native.Tensor], results: List[int]
) -> Tuple[int, str, List[_native.Tensor]]:
    """Called by the extension, in a thread of its own: (code, message, results of these dtypes)."""
    try:
        returned = function_of(token)(*map(to_numpy, arguments))
        return errors.OK, "", _to_tensors(token, returned, [dtypes.by_number(n) for n in results])
    except BaseException as error:
        return _code_of(error), _message_of(error), []


def _to_tensors(token: str, returned: Any, expected: List[DType]) -> List[_native.Tensor]:
    if returned is None:
        returned = []
    values = returned if isinstance(returned, (list, tuple)) else [returned]
    if len(values) != len(expected):
        raise _Mismatch(
            f"{token} returns {len(values)} values, but expects to see {len(expected)} values."
        )
    return [
        _to_tensor(f"{index}-th value returned by {token}", value, dtype)
        for index, (value, dtype) in enumerate(zip(values, expected))
    ]


def _to_tensor(what: str, value: Any, expected: DType) -> _native.Tensor:
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        # Not as NumPy's own texts, which lose zeros at their ends.
        array = np.asarray(value, dtype=object)
        for item in array.flat:
            if not isinstance(item, (str, bytes)):
                raise _Mismatch(f"{what} is an object of {type(item)}, but expects {expected.name}")
    found = dtypes.of_array(array)
    if found is not expected and (found, expected) != (dtypes.float32, dtypes.bfloat16):
        raise _Mismatch(f"{what} is {found.name}, but expects {expected.name}")
    return to_native(np.asarray(array, array.dtype.newbyteorder("="), order="C"), expected)


class _Mismatch(Exception):
    """Results that are not those that the operation has: its message has no traceback."""


def _code_of(error: BaseException) -> int:
    if isinstance(error, errors.OpError):
        return error.error_code or errors.UNKNOWN
    if isinstance(error, _Mismatch):
        return errors.INVALID_ARGUMENT
    found = (code for kind, code in _CODES.items() if isinstance(error, kind))
    return next(found, errors.UNKNOWN)


def _message_of(error: BaseException) -> str:
    if isinstance(error, _Mismatch):
        return str(error)
    lines = traceback.format_exception_only(type(error), error)
    # Without the frame of call_function.
    frames = error.__traceback__ and error.__traceback__.tb_next
    if frames is not None:
        lines += ["Traceback (most recent call last):\n"]
        lines += traceback.format_tb(frames, limit=-TRACEBACK_FRAMES_MAX)
    return "".join(lines).rstrip().encode(errors="replace").decode()
