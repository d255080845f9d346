"""The older estimators: models with their trainings, evaluations and predictions."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.estimator.run_config import TaskType
from troupe._src.learn.base_estimator import BaseEstimator, NotFittedError
from troupe._src.learn.estimator import Estimator
from troupe._src.learn.experiment import Experiment
from troupe._src.learn.export_inputs import InputFnOps, build_parsing_serving_input_fn
from troupe._src.learn.export_strategy import ExportStrategy, make_export_strategy
from troupe._src.learn.interfaces import Evaluable, Trainable
from troupe._src.learn.keys import PredictionKey, ProblemType
from troupe._src.learn.metric_spec import MetricSpec
from troupe._src.learn.mode_keys import ModeKeys
from troupe._src.learn.model_fn_ops import ModelFnOps
from troupe._src.learn.monitor_kinds import NanLossDuringTrainingError
from troupe._src.learn.run_config import RunConfig
from troupe._src.learn.sk_compat import (
    SKCompat,
    infer_real_valued_columns_from_input,
    infer_real_valued_columns_from_input_fn,
)
from troupe._src.learn_actions.evaluation import evaluate
from troupe._src.learn_actions.runs import infer, run_feeds, run_n
from troupe._src.learn_actions.training import train
from troupe._src.learn_heads.head import Head, no_op_train_fn
from troupe._src.learn_heads.kinds import (
    binary_svm_head,
    multi_class_head,
    multi_head,
    multi_label_head,
    poisson_regression_head,
    regression_head,
)
from troupe._src.learn_models.combined import (
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
)
from troupe._src.learn_models.dnn import DNNClassifier, DNNEstimator, DNNRegressor
from troupe._src.learn_models.kmeans import KMeansClustering
from troupe._src.learn_models.linear import LinearClassifier, LinearEstimator, LinearRegressor
from troupe._src.learn_models.logistic import LogisticRegressor
from troupe._src.learn_models.svm import SVM
from troupe._src.learn_rnn.dynamic_rnn import DynamicRnnEstimator
from troupe.contrib.learn import (
    datasets,
    head,
    io,
    learn_runner,
    models,
    monitors,
    ops,
    preprocessing,
    utils,
)
from troupe._src.learn_inputs.keyed_examples import (
    read_batch_examples,
    read_keyed_batch_examples,
    read_keyed_batch_examples_shared_queue,
)
from troupe._src.learn_inputs.keyed_features import (
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_features,
    read_keyed_batch_features_shared_queue,
)
from troupe._src.learn_inputs.pandas_frames import (
    extract_pandas_data,
    extract_pandas_labels,
    extract_pandas_matrix,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, lazy=("python",))

__all__ = [
    "BaseEstimator",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "DynamicRnnEstimator",
    "Estimator",
    "Evaluable",
    "Experiment",
    "ExportStrategy",
    "Head",
    "InputFnOps",
    "KMeansClustering",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
    "LogisticRegressor",
    "MetricSpec",
    "ModeKeys",
    "ModelFnOps",
    "NanLossDuringTrainingError",
    "NotFittedError",
    "PredictionKey",
    "ProblemType",
    "RunConfig",
    "SKCompat",
    "SVM",
    "TaskType",
    "Trainable",
    "binary_svm_head",
    "build_parsing_serving_input_fn",
    "datasets",
    "evaluate",
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "head",
    "infer",
    "infer_real_valued_columns_from_input",
    "infer_real_valued_columns_from_input_fn",
    "io",
    "learn_runner",
    "make_export_strategy",
    "models",
    "monitors",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "no_op_train_fn",
    "ops",
    "poisson_regression_head",
    "preprocessing",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_examples_shared_queue",
    "read_keyed_batch_features",
    "read_keyed_batch_features_shared_queue",
    "regression_head",
    "run_feeds",
    "run_n",
    "train",
    "utils",
]
