"""What stops trainings of estimators and evaluates in them, and estimators made of others."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.boosted_trees.in_memory import (
    boosted_trees_classifier_train_in_memory,
    boosted_trees_regressor_train_in_memory,
)
from troupe._src.canned.networks import (
    call_logit_fn,
    dnn_logit_fn_builder,
    linear_logit_fn_builder,
)
from troupe._src.contrib_estimator.annotations import (
    DNNClassifierWithLayerAnnotations,
    DNNRegressorWithLayerAnnotations,
)
from troupe._src.contrib_estimator.exports import (
    build_supervised_input_receiver_fn_from_input_fn,
    export_all_saved_models,
    export_saved_model_for_mode,
)
from troupe._src.contrib_estimator.replicas import replicate_model_fn
from troupe._src.contrib_estimator.rnn import RNNClassifier, RNNEstimator
from troupe._src.contrib_estimator.saved_model_estimator import SavedModelEstimator
from troupe._src.contrib_estimator.towers import TowerOptimizer
from troupe._src.estimator.serving_inputs import build_raw_supervised_input_receiver_fn
from troupe._src.estimator_hooks.early_stopping import (
    make_early_stopping_hook,
    read_eval_metrics,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from troupe._src.estimator_hooks.evaluations import (
    InMemoryEvaluatorHook,
    make_stop_at_checkpoint_step_hook,
)
from troupe._src.estimator_hooks.extenders import (
    add_metrics,
    clip_gradients_by_norm,
    forward_features,
)
from troupe._src.heads.constructors import (
    binary_classification_head,
    logistic_regression_head,
    multi_class_head,
    multi_head,
    multi_label_head,
    poisson_regression_head,
    regression_head,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "DNNClassifierWithLayerAnnotations",
    "DNNRegressorWithLayerAnnotations",
    "InMemoryEvaluatorHook",
    "RNNClassifier",
    "RNNEstimator",
    "SavedModelEstimator",
    "TowerOptimizer",
    "add_metrics",
    "binary_classification_head",
    "boosted_trees_classifier_train_in_memory",
    "boosted_trees_regressor_train_in_memory",
    "build_raw_supervised_input_receiver_fn",
    "build_supervised_input_receiver_fn_from_input_fn",
    "call_logit_fn",
    "clip_gradients_by_norm",
    "dnn_logit_fn_builder",
    "export_all_saved_models",
    "export_saved_model_for_mode",
    "forward_features",
    "linear_logit_fn_builder",
    "logistic_regression_head",
    "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "poisson_regression_head",
    "read_eval_metrics",
    "regression_head",
    "replicate_model_fn",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]
