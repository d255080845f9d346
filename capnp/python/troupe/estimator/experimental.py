"""What stops trainings and evaluates in them, inputs of exports, and an estimator of clusters."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.canned.linear_sdca import LinearSDCA
from troupe._src.canned.networks import (
    call_logit_fn,
    dnn_logit_fn_builder,
    linear_logit_fn_builder,
)
from troupe._src.estimator.serving_inputs import build_raw_supervised_input_receiver_fn
from troupe._src.estimator_hooks.early_stopping import (
    make_early_stopping_hook,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from troupe._src.estimator_hooks.evaluations import (
    InMemoryEvaluatorHook,
    make_stop_at_checkpoint_step_hook,
)
from troupe._src.factorization.kmeans_clustering import KMeansClustering as KMeans

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "InMemoryEvaluatorHook",
    "KMeans",
    "LinearSDCA",
    "build_raw_supervised_input_receiver_fn",
    "call_logit_fn",
    "dnn_logit_fn_builder",
    "linear_logit_fn_builder",
    "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]
