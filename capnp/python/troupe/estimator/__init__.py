"""Models with their trainings, evaluations and predictions."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.boosted_trees.estimators import (
    BoostedTreesClassifier,
    BoostedTreesEstimator,
    BoostedTreesRegressor,
)
from troupe._src.canned.baseline import (
    BaselineClassifier,
    BaselineEstimator,
    BaselineRegressor,
)
from troupe._src.canned.combined import (
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
)
from troupe._src.canned.dnn import DNNClassifier, DNNEstimator, DNNRegressor
from troupe._src.canned.linear import LinearClassifier, LinearEstimator, LinearRegressor
from troupe._src.canned.parsing import (
    classifier_parse_example_spec,
    regressor_parse_example_spec,
)
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.exporters import BestExporter, Exporter, FinalExporter, LatestExporter
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.estimator.train_and_evaluate import train_and_evaluate
from troupe._src.estimator.train_specs import EvalSpec, TrainSpec
from troupe._src.estimator.warm_start_settings import WarmStartSettings
from troupe._src.estimator_heads.class_heads import (
    BinaryClassHead,
    MultiClassHead,
    MultiLabelHead,
)
from troupe._src.estimator_heads.head import Head
from troupe._src.estimator_heads.multi_head import MultiHead
from troupe._src.estimator_heads.regression_heads import (
    LogisticRegressionHead,
    PoissonRegressionHead,
    RegressionHead,
)
from troupe._src.estimator_hooks.extenders import add_metrics
from troupe._src.train.hooks.checkpoint_hook import CheckpointSaverHook
from troupe._src.train.hooks.native_hooks import (
    NanLossDuringTrainingError,
    NanTensorHook,
    StopAtStepHook,
)
from troupe._src.train.hooks.python_hooks import (
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    ProfilerHook,
)
from troupe._src.train.hooks.saving_listeners import CheckpointSaverListener
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.hooks.step_timer import SecondOrStepTimer
from troupe._src.train.hooks.summary_hooks import StepCounterHook, SummarySaverHook
from troupe._src.warm_starting.vocabulary_changes import VocabInfo
from troupe.estimator import experimental, export, inputs, tpu

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "BaselineClassifier",
    "BaselineEstimator",
    "BaselineRegressor",
    "BestExporter",
    "BinaryClassHead",
    "BoostedTreesClassifier",
    "BoostedTreesEstimator",
    "BoostedTreesRegressor",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "Exporter",
    "FeedFnHook",
    "FinalExporter",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "Head",
    "LatestExporter",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
    "LoggingTensorHook",
    "LogisticRegressionHead",
    "ModeKeys",
    "MultiClassHead",
    "MultiHead",
    "MultiLabelHead",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "PoissonRegressionHead",
    "ProfilerHook",
    "RegressionHead",
    "RunConfig",
    "SecondOrStepTimer",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "TrainSpec",
    "VocabInfo",
    "WarmStartSettings",
    "add_metrics",
    "classifier_parse_example_spec",
    "experimental",
    "export",
    "inputs",
    "regressor_parse_example_spec",
    "tpu",
    "train_and_evaluate",
]
