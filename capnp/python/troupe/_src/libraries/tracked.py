"""What programs import of the tracking of objects, besides what is public."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Iterator, NamedTuple

from troupe._src.module_scopes.checkpointable import Checkpointable, NoDependency


class TrackableReference(NamedTuple):
    """An object that another one has, and its name there."""

    name: str
    ref: Any


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """A context in which what is assigned to the attributes of an object is not saved with it.

    Args:
        obj: The object.

    Yields:
        None.
    """
    before = dict(vars(obj))
    try:
        yield
    finally:
        setter: Any = type(obj).__setattr__
        if setter is Checkpointable.__setattr__:  # not of layers, which keep none
            for name, value in list(vars(obj).items()):
                if name not in before or before[name] is not value:
                    setattr(obj, name, NoDependency(value))


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of methods that assign attributes which are not saved.

    Args:
        method: The method.

    Returns:
        The method in such a context.
    """

    @functools.wraps(method)
    def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return decorated
