"""Switches between TensorFlow's two versions: there is graph mode only."""

from __future__ import annotations


def disable_v2_behavior() -> None:
    """Does nothing: there is graph mode only."""


def disable_eager_execution() -> None:
    """Does nothing: there is graph mode only."""


def executing_eagerly() -> bool:
    """False."""
    return False
