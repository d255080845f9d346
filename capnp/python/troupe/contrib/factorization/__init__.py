"""Clusters of points by k-means, and mixtures of distributions."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.factorization.gmm_estimator import GMM
from troupe._src.factorization.initial_centers import (
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
)
from troupe._src.factorization.kmeans import (
    CLUSTERS_VAR_NAME,
    COSINE_DISTANCE,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)
from troupe._src.factorization.kmeans_clustering import KMeansClustering
from troupe._src.factorization.mixtures import GmmAlgorithm, gmm
from troupe._src.factorization.wals_estimator import WALSMatrixFactorization
from troupe._src.factorization.wals_model import WALSModel

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "CLUSTERS_VAR_NAME",
    "COSINE_DISTANCE",
    "GMM",
    "GmmAlgorithm",
    "KMC2_INIT",
    "KMEANS_PLUS_PLUS_INIT",
    "KMeans",
    "KMeansClustering",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "WALSMatrixFactorization",
    "WALSModel",
    "gmm",
]
