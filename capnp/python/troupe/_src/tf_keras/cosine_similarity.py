"""The loss of angles between vectors."""

from __future__ import annotations

from typing import Any

from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

_losses = keras_module("losses")
_Wrapper: Any = _losses.LossFunctionWrapper


@set_module("troupe.keras.losses")
class CosineSimilarity(_Wrapper):  # type: ignore[misc]
    """The cosine of the angle between labels and predictions: 1 where they agree.

    TensorFlow 1.15 has this sign; from 2.0 on it is the other one.

    Args:
        axis: Along which the vectors are.
        reduction: How the losses of a batch become one.
        name: The name of the loss.
    """

    def __init__(
        self, axis: int = -1,
        reduction: Any = _losses.losses_utils.Reduction.SUM_OVER_BATCH_SIZE,
        name: str = "cosine_similarity",
    ) -> None:  # fmt: skip
        super().__init__(_losses.cosine_similarity, reduction=reduction, name=name, axis=axis)
