"""The errors of steps and of other calls to the runtime: one class for each status code."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Type

from troupe._src.set_module import set_module

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """The base of all errors of the runtime: what failed, and where.

    `node` is the name of the node that failed, `node_op` its op, `device` and `task` where it ran;
    each is "" where it does not apply. `notes` lists further errors of the same call.

    Args:
        node_def: The node that failed as a message, or None.
        op: The operation that failed, or None.
        message: What is wrong.
        error_code: A code of `tf.errors`, by default that of the class.
    """

    error_code: int = UNKNOWN

    def __init__(
        self, node_def: Any, op: Any, message: str, error_code: Optional[int] = None
    ) -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message
        if error_code is not None:
            self.error_code = error_code
        self.node = ""
        self.node_op = ""
        self.device = ""
        self.task = ""
        self.notes: List[str] = []
        self._defined_at = ""

    def __str__(self) -> str:
        where = f"node '{self.node}'" if self.node else ""
        if self.node_op:
            where += f" ({self.node_op})" if where else f"op {self.node_op}"
        device = self.device or self.task
        if device:
            where += f"{' ' if where else ''}on {device}"
        text = self.message + (f" [{where}]" if where else "")
        if self._defined_at:
            text += f"\n  defined at {self._defined_at}"
        for note in self.notes:
            text += f"\n  also: {note}"
        return text

    def __reduce__(self) -> Any:
        # Operations belong to a graph of this process and are left out of the pickle.
        state = {
            key: value for key, value in self.__dict__.items() if key not in ("op", "node_def")
        }
        return type(self), (None, None, self.message), state


class CancelledError(OpError):
    """The step was cancelled, by its caller or because its session was closed."""

    error_code = CANCELLED


class UnknownError(OpError):
    """An error with an unknown code."""

    error_code = UNKNOWN


class InvalidArgumentError(OpError):
    """An op or a request got an invalid argument."""

    error_code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """The deadline of the call passed before it finished."""

    error_code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A node, file, or tensor of a checkpoint does not exist."""

    error_code = NOT_FOUND


class AlreadyExistsError(OpError):
    """Something that was to be created exists already."""

    error_code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller lacks the permission."""

    error_code = PERMISSION_DENIED


class ResourceExhaustedError(OpError):
    """Memory, or the number of sessions, is exhausted."""

    error_code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The state does not allow the call; mostly, a variable is not initialized."""

    error_code = FAILED_PRECONDITION


class AbortedError(OpError):
    """A task was restarted, or a container was reset: the state that a session used is lost."""

    error_code = ABORTED


class OutOfRangeError(OpError):
    """The end of the data."""

    error_code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """The operation is not supported by this version."""

    error_code = UNIMPLEMENTED


class InternalError(OpError):
    """A bug of the runtime."""

    error_code = INTERNAL


class UnavailableError(OpError):
    """A task cannot be reached now; another attempt may succeed."""

    error_code = UNAVAILABLE


class DataLossError(OpError):
    """Stored data is corrupt."""

    error_code = DATA_LOSS


class UnauthenticatedError(OpError):
    """The caller did not authenticate."""

    error_code = UNAUTHENTICATED


class InvalidTypeError(InvalidArgumentError, TypeError):
    """A node whose dtypes or attributes do not fit its op."""


class InvalidValueError(InvalidArgumentError, ValueError):
    """A node whose shapes or values do not fit its op."""


class MissingGradientError(InvalidValueError, LookupError):
    """An op without a gradient, between what is differentiated and by what."""


_CLASSES: Dict[int, Type[OpError]] = {
    kind.error_code: kind
    for kind in (
        CancelledError,
        UnknownError,
        InvalidArgumentError,
        DeadlineExceededError,
        NotFoundError,
        AlreadyExistsError,
        PermissionDeniedError,
        ResourceExhaustedError,
        FailedPreconditionError,
        AbortedError,
        OutOfRangeError,
        UnimplementedError,
        InternalError,
        UnavailableError,
        DataLossError,
        UnauthenticatedError,
    )
}


def exception_type_from_error_code(error_code: int) -> Type[OpError]:
    """The class of a code.

    Args:
        error_code: A code of `tf.errors`.

    Returns:
        A class of OpErrors.

    Raises:
        KeyError: No class has the code.
    """
    return _CLASSES[error_code]


class OperatorNotAllowedInGraphError(TypeError):
    """Python asked a tensor for a value that only a step gives it: its truth, length or parts."""


def error_code_from_exception_type(cls: Type[OpError]) -> int:
    """The code of a class.

    Args:
        cls: A class of OpErrors.

    Returns:
        The code.
    """
    return cls.error_code


def from_status(
    code: int, message: str, node: str, op: str, device: str, task: str, notes: List[str]
) -> OpError:
    """Called by the extension: converts a status of the runtime."""
    error = _CLASSES.get(code, UnknownError)(None, None, message)
    error.node, error.node_op, error.device, error.task = node, op, device, task
    error.notes = notes
    return error


def build_error(is_type_error: bool, message: str, node: str, op: str) -> OpError:
    """Called by the extension: the error of a node that cannot be added to its graph."""
    error = (InvalidTypeError if is_type_error else InvalidValueError)(None, None, message)
    error.node, error.node_op = node, op
    return error


_ALL_CLASSES: List[Type[OpError]] = [
    OpError,
    InvalidTypeError,
    InvalidValueError,
    MissingGradientError,
    *_CLASSES.values(),
]
for _error_class in _ALL_CLASSES:
    set_module("troupe.errors")(_error_class)
