"""`WarmStartSettings`: which values of a checkpoint a model begins with."""

from __future__ import annotations

import os
from typing import Any, Dict, NamedTuple, Optional

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.set_module import set_module
from troupe._src.warm_starting.vocabulary_changes import VocabInfo


class _Settings(NamedTuple):
    ckpt_to_initialize_from: str
    vars_to_warm_start: Any
    var_name_to_vocab_info: Dict[str, VocabInfo]
    var_name_to_prev_var_name: Dict[str, str]


@set_module("troupe.estimator")
class WarmStartSettings(_Settings):
    """The arguments of `tf.train.warm_start`.

    Args:
        ckpt_to_initialize_from: A checkpoint, or a folder with checkpoints.
        vars_to_warm_start: A pattern of names, a list of such, or None.
        var_name_to_vocab_info: The vocabularies of variables whose rows have changed.
        var_name_to_prev_var_name: The names in the checkpoint where they are others.

    Raises:
        ValueError: There is no checkpoint.
    """

    __slots__ = ()

    def __new__(
        cls,
        ckpt_to_initialize_from: Any,
        vars_to_warm_start: Any = ".*",
        var_name_to_vocab_info: Optional[Dict[str, VocabInfo]] = None,
        var_name_to_prev_var_name: Optional[Dict[str, str]] = None,
    ) -> WarmStartSettings:
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        return super().__new__(
            cls,
            os.fspath(ckpt_to_initialize_from),
            vars_to_warm_start,
            var_name_to_vocab_info or {},
            var_name_to_prev_var_name or {},
        )


def checked_settings(given: Any) -> Optional[WarmStartSettings]:
    """The settings, those of a checkpoint's name, or None.

    Raises:
        ValueError: It is something else.
    """
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if isinstance(given, (str, bytes, os.PathLike)):
        return WarmStartSettings(os.fsdecode(given))
    raise ValueError(
        f"warm_start_from must be a string or a WarmStartSettings, instead got {type(given)}"
    )


def warm_start_checkpoint(settings: Optional[WarmStartSettings]) -> Optional[str]:
    """The checkpoint whose values variables begin with, the latest one of a folder, or None."""
    if settings is None:
        return None
    path = settings.ckpt_to_initialize_from
    return latest_checkpoint(path) if os.path.isdir(path) else path
