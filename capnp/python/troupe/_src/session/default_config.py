"""The options of sessions that are given none, which `troupe.config` changes."""

from __future__ import annotations

from troupe._src.messages.config import ConfigProto

_shared = ConfigProto()


def shared_config() -> ConfigProto:
    """The options that later sessions without a `config` have: to be changed."""
    return _shared


def default_config() -> ConfigProto:
    """A copy of them, for one session."""
    copied = ConfigProto()
    copied.CopyFrom(_shared)
    return copied
