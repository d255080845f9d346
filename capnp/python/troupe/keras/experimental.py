"""Schedules of rates, premade models, layers of sequences, and SavedModels of graphs."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.keras_optimizers.schedules import (
    CosineDecay,
    CosineDecayRestarts,
    LinearCosineDecay,
    NoisyLinearCosineDecay,
)
from troupe._src.keras_saved_models.exported_models import export_saved_model, load_from_saved_model
from troupe._src.keras.loaded import late_names as _late_names
from troupe._src.keras.worker_pools import terminate_keras_multiprocessing_pools

if TYPE_CHECKING:
    from troupe._src.keras_layers.sequence_features import SequenceFeatures
    from troupe._src.tf_keras.recurrent_cells import PeepholeLSTMCell
    from troupe._src.tf_keras.premade_models import LinearModel, WideDeepModel
else:
    __getattr__, __dir__ = _late_names(
        _missing_names(__name__),
        {
            "LinearModel": "tf_keras.premade_models",
            "PeepholeLSTMCell": "tf_keras.recurrent_cells",
            "SequenceFeatures": "keras_layers.sequence_features",
            "WideDeepModel": "tf_keras.premade_models",
        },
    )

__all__ = [
    "CosineDecay",
    "CosineDecayRestarts",
    "LinearCosineDecay",
    "LinearModel",
    "NoisyLinearCosineDecay",
    "PeepholeLSTMCell",
    "SequenceFeatures",
    "WideDeepModel",
    "export_saved_model",
    "load_from_saved_model",
    "terminate_keras_multiprocessing_pools",
]
