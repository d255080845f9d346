"""The arguments and the documentation of functions, and seeds."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict, Optional

from troupe._src.distributions.arguments import gen_new_seed as gen_new_seed


def parent_frame_arguments() -> Dict[str, Any]:
    """The arguments of the function that calls this one, by name, without `*args`."""
    frame = inspect.currentframe()
    caller = None if frame is None else frame.f_back
    if caller is None:
        raise RuntimeError("parent_frame_arguments is called outside of a function")
    names, _, more, values = inspect.getargvalues(caller)
    return {**{name: values[name] for name in names}, **(values[more] if more else {})}


class AppendDocstring:
    """A decorator that adds a text to the docstring of a function.

    Args:
        additional_note: The text.
        kwargs_dict: {argument: its text}, each of which is added, too.

    Raises:
        ValueError: A name has a space, or a text has several lines.
    """

    def __init__(
        self, additional_note: str = "", kwargs_dict: Optional[Dict[str, str]] = None
    ) -> None:
        lines = []
        for name, text in sorted((kwargs_dict or {}).items()):
            if any(letter.isspace() for letter in name):
                raise ValueError(f'Parameter name "{name}" contains whitespace.')
            if "\n" in text.lstrip():
                raise ValueError(f'Parameter description for "{name}" contains newlines.')
            lines.append(f"*  `{name}`: {text.lstrip()}")
        self._note = additional_note
        if lines:
            self._note += "\n\n##### `kwargs`:\n\n" + "\n".join(lines)

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            return fn(*args, **kwargs)

        call.__doc__ = self._note if fn.__doc__ is None else f"{fn.__doc__}\n{self._note}"
        return call
