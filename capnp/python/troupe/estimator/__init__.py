"""Models with their trainings, evaluations and predictions."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.estimator.train_and_evaluate import train_and_evaluate
from troupe._src.estimator.train_specs import EvalSpec, TrainSpec
from troupe._src.estimator.warm_start_settings import WarmStartSettings
from troupe._src.warm_starting.vocabulary_changes import VocabInfo
from troupe.estimator import export, inputs

__getattr__ = _missing_names(__name__)

__all__ = [
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "ModeKeys",
    "RunConfig",
    "TrainSpec",
    "VocabInfo",
    "WarmStartSettings",
    "export",
    "inputs",
    "train_and_evaluate",
]
