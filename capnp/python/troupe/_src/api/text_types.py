"""Text as bytes or str, and the types of Python and NumPy that stand for numbers and text."""

from __future__ import annotations

import numbers
from typing import Any, Union

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text: Union[str, bytes], encoding: str = "utf-8") -> bytes:
    """Text as bytes in that encoding; bytes as they are.

    Args:
        bytes_or_text: The text, or bytes.
        encoding: The name of the encoding.

    Returns:
        The bytes.

    Raises:
        TypeError: It is neither str nor bytes.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Union[str, bytes], encoding: str = "utf-8") -> str:
    """Bytes as text of that encoding; text as it is.

    Args:
        bytes_or_text: The bytes, or text.
        encoding: The name of the encoding.

    Returns:
        The text.

    Raises:
        TypeError: It is neither str nor bytes.
        UnicodeDecodeError: The bytes are no text of that encoding.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: object) -> str:
    """Bytes as text, anything else by str().

    Args:
        value: Any object.

    Returns:
        The text.
    """
    return as_str(value) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as text; anything else as it is.

    Args:
        path: A path object, a text, or anything else.

    Returns:
        The text of a path object, else `path`.
    """
    return as_str_any(path.__fspath__()) if hasattr(path, "__fspath__") else path
