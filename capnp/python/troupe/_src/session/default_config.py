"""The options of sessions that are given none, which `troupe.config` changes; and whether sessions
compute in mixed precision."""

from __future__ import annotations

from typing import Optional

from troupe._src.messages.config import ConfigProto, RewriterConfig

_shared = ConfigProto()


class MixedPrecisionState:
    """Of this process."""

    # Whether later sessions compute in mixed precision whose options do not say OFF.
    is_enabled = False
    # Whether a session that does not do so has been made.
    has_other_sessions = False


def shared_config() -> ConfigProto:
    """The options that later sessions without a `config` have: to be changed."""
    return _shared


def default_config() -> ConfigProto:
    """A copy of them, for one session."""
    copied = ConfigProto()
    copied.CopyFrom(_shared)
    return copied


def session_config(given: Optional[ConfigProto]) -> ConfigProto:
    """The options of a new session.

    Args:
        given: Those that the program gives it; None for a copy of the shared ones.

    Returns:
        The options, with mixed precision where that is enabled and they do not say OFF.
    """
    config = default_config() if given is None else given
    asked = vars(config.graph_options.rewrite_options).get("auto_mixed_precision")
    if MixedPrecisionState.is_enabled and asked != RewriterConfig.OFF:
        if given is not None:
            config = ConfigProto()
            config.CopyFrom(given)
        config.graph_options.rewrite_options.auto_mixed_precision = RewriterConfig.ON
    elif asked != RewriterConfig.ON:
        MixedPrecisionState.has_other_sessions = True
    return config
