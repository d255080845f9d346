"""Trains models by steps of a session of a Supervisor."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.slim.learning import (
    create_train_op,
    train,
    train_step,
)
from troupe._src.slim.learning import add_gradient_summaries as add_gradients_summaries
from troupe._src.slim.train_ops import (
    clip_gradient_norms,
    multiply_gradients,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "create_train_op",
    "multiply_gradients",
    "train",
    "train_step",
]
