"""Heads: the losses, predictions and metrics of models."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.learn_heads.head import Head, no_op_train_fn
from troupe._src.learn_heads.kinds import (
    binary_svm_head,
    loss_only_head,
    multi_class_head,
    multi_head,
    multi_label_head,
    poisson_regression_head,
    regression_head,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Head",
    "binary_svm_head",
    "loss_only_head",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "no_op_train_fn",
    "poisson_regression_head",
    "regression_head",
]
