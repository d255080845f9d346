"""Whether new layers keep their variables as those of `tf.keras` do, or in variable scopes."""

from __future__ import annotations

import contextlib
from typing import Iterator, List

from troupe._src.set_module import set_module

_styles: List[bool] = [False]


def is_keras_style() -> bool:
    """Whether new layers keep their variables as those of `tf.keras`."""
    return _styles[-1]


@set_module("troupe.layers.experimental")
@contextlib.contextmanager
def keras_style_scope() -> Iterator[None]:
    """A context whose new layers have variables of their own, whatever variable scopes there are.

    Layers of `tf.layers` and cells that are made in it share no variables with others. Their
    variables have the names of layers of `tf.keras`, and models of `tf.keras` may have them.
    """
    _styles.append(True)
    try:
        yield
    finally:
        _styles.pop()


@set_module("troupe.layers.experimental")
def set_keras_style() -> None:
    """Makes all new layers such as those of `keras_style_scope`."""
    _styles[-1] = True
