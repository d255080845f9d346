"""The outputs of the signatures of a model that serves."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.estimator.export_outputs import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)

__getattr__ = _missing_names(__name__)

__all__ = ["ClassificationOutput", "ExportOutput", "PredictOutput", "RegressionOutput"]
