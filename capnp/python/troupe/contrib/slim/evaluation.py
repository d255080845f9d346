"""Evaluations of checkpoints, once or as they appear."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.checkpoints.new_checkpoints import (
    checkpoints_iterator,
    wait_for_new_checkpoint,
)
from troupe._src.slim.checkpoint_evaluation import (
    evaluate_once,
    evaluation_loop,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "checkpoints_iterator",
    "evaluate_once",
    "evaluation_loop",
    "wait_for_new_checkpoint",
]
