"""What a model is made for, in the words of `tf.contrib.learn`."""

from __future__ import annotations

from typing import Any

from troupe._src.set_module import set_module


@set_module("troupe.contrib.learn")
class ModeKeys:
    """What a model is made for: a training, an evaluation, or predictions."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: Any) -> None:
        """Does nothing for one of the modes.

        Args:
            key: What may be a mode.

        Raises:
            ValueError: It is none.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")
