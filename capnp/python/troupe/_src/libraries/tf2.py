"""Which version's behaviour there is, as `tensorflow.python.tf2` says."""

from __future__ import annotations


def enabled() -> bool:
    """False: graphs behave as those of TensorFlow 1."""
    return False
