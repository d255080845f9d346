"""The errors that steps end with: one class for each code, as TensorFlow has them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Type

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
    """What went wrong in a step, or in another call to the runtime, and where.

    `message` says what; `node` names the node, `node_op` its op, `device` and `task` the place,
    each "" where it does not apply. `notes` has what else went wrong at the same time.
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
        spot = f"node '{self.node}'" if self.node else ""
        if self.node_op:
            spot += f" ({self.node_op})" if spot else f"op {self.node_op}"
        host = self.device or self.task
        if host:
            spot += f"{' ' if spot else ''}on {host}"
        text = self.message + (f" [{spot}]" if spot else "")
        if self._defined_at:
            text += f"\n  defined at {self._defined_at}"
        for note in self.notes:
            text += f"\n  also: {note}"
        return text

    def __reduce__(self) -> Any:
        # An operation stays in its process; the rest goes where the error goes.
        state = {
            key: value for key, value in self.__dict__.items() if key not in ("op", "node_def")
        }
        return type(self), (None, None, self.message), state


class CancelledError(OpError):
    """The step was cancelled: by its caller, or with its session."""

    error_code = CANCELLED


class UnknownError(OpError):
    """An error without a class of its own."""

    error_code = UNKNOWN


class InvalidArgumentError(OpError):
    """A value that the op cannot take, or a request that cannot be right."""

    error_code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """The time for the call was over before it was done."""

    error_code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """Something that was named is not there: a node, a file, a tensor of a checkpoint."""

    error_code = NOT_FOUND


class AlreadyExistsError(OpError):
    """Something that was to be made is there already."""

    error_code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do that."""

    error_code = PERMISSION_DENIED


class ResourceExhaustedError(OpError):
    """No memory, or no further session, is left."""

    error_code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """Something must be done before: mostly, a variable must be initialized."""

    error_code = FAILED_PRECONDITION


class AbortedError(OpError):
    """A task was lost and is back, or a container was reset: what a session held is gone."""

    error_code = ABORTED


class OutOfRangeError(OpError):
    """The end of the data."""

    error_code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """That is not part of this version."""

    error_code = UNIMPLEMENTED


class InternalError(OpError):
    """A bug of the runtime."""

    error_code = INTERNAL


class UnavailableError(OpError):
    """A task cannot be reached now; another attempt may succeed."""

    error_code = UNAVAILABLE


class DataLossError(OpError):
    """Data cannot be read back as it was written."""

    error_code = DATA_LOSS


class UnauthenticatedError(OpError):
    """The node does not know the caller."""

    error_code = UNAUTHENTICATED


class InvalidTypeError(InvalidArgumentError, TypeError):
    """A node whose dtypes or attributes do not fit its op."""


class InvalidValueError(InvalidArgumentError, ValueError):
    """A node whose shapes or values do not fit its op."""


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
    """The class of a code."""
    return _CLASSES[error_code]


def error_code_from_exception_type(cls: Type[OpError]) -> int:
    """The code of a class."""
    return cls.error_code


def _from_status(
    code: int, message: str, node: str, op: str, device: str, task: str, notes: List[str]
) -> OpError:
    """For the extension: the error that a status is in Python."""
    error = _CLASSES.get(code, UnknownError)(None, None, message)
    error.node, error.node_op, error.device, error.task = node, op, device, task
    error.notes = notes
    return error


def _at_building(is_of_type: bool, message: str, node: str, op: str) -> OpError:
    """For the extension: the error of a node that cannot be added to its graph."""
    error = (InvalidTypeError if is_of_type else InvalidValueError)(None, None, message)
    error.node, error.node_op = node, op
    return error
