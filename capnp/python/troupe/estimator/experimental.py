"""Inputs of exported trainings and evaluations, and an estimator of clusters."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.estimator.serving_inputs import build_raw_supervised_input_receiver_fn
from troupe._src.factorization.kmeans_clustering import KMeansClustering as KMeans

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["KMeans", "build_raw_supervised_input_receiver_fn"]
