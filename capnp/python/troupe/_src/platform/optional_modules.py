"""Modules of other packages, which only some functions need."""

from __future__ import annotations

import importlib
from typing import Any


def optional_module(name: str, package: str, user: str) -> Any:
    """A module of another package.

    Args:
        name: The name of the module.
        package: That of the package that has it.
        user: What needs it.

    Returns:
        The module.

    Raises:
        ImportError: The package is not installed, or cannot be imported.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"{user} needs the package {package}: pip install {package} ({error})"
        ) from error
