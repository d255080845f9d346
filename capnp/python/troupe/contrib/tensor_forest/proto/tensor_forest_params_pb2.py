"""The message of a forest's parameters."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.tensor_forest.params_messages import (
    COLLECTION_BASIC,
    GRAPH_RUNNER_COLLECTION,
    MODEL_DENSE_CLASSIFICATION,
    MODEL_REGRESSION,
    MODEL_SPARSE_CLASSIFICATION,
    MODEL_SPARSE_OR_DENSE_CLASSIFICATION,
    SPLIT_FINISH_BASIC,
    SPLIT_FINISH_DOMINATE_BOOTSTRAP,
    SPLIT_FINISH_DOMINATE_HOEFFDING,
    SPLIT_PRUNE_10_PERCENT,
    SPLIT_PRUNE_HALF,
    SPLIT_PRUNE_HOEFFDING,
    SPLIT_PRUNE_NONE,
    SPLIT_PRUNE_QUARTER,
    STATS_DENSE_GINI,
    STATS_FIXED_SIZE_SPARSE_GINI,
    STATS_LEAST_SQUARES_REGRESSION,
    STATS_SPARSE_GINI,
    STATS_SPARSE_THEN_DENSE_GINI,
    DepthDependentParam,
    ExponentialParam,
    LinearParam,
    SplitFinishConfig,
    SplitPruningConfig,
    TensorForestParams,
    ThresholdParam,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "COLLECTION_BASIC",
    "DepthDependentParam",
    "ExponentialParam",
    "GRAPH_RUNNER_COLLECTION",
    "LinearParam",
    "MODEL_DENSE_CLASSIFICATION",
    "MODEL_REGRESSION",
    "MODEL_SPARSE_CLASSIFICATION",
    "MODEL_SPARSE_OR_DENSE_CLASSIFICATION",
    "SPLIT_FINISH_BASIC",
    "SPLIT_FINISH_DOMINATE_BOOTSTRAP",
    "SPLIT_FINISH_DOMINATE_HOEFFDING",
    "SPLIT_PRUNE_10_PERCENT",
    "SPLIT_PRUNE_HALF",
    "SPLIT_PRUNE_HOEFFDING",
    "SPLIT_PRUNE_NONE",
    "SPLIT_PRUNE_QUARTER",
    "STATS_DENSE_GINI",
    "STATS_FIXED_SIZE_SPARSE_GINI",
    "STATS_LEAST_SQUARES_REGRESSION",
    "STATS_SPARSE_GINI",
    "STATS_SPARSE_THEN_DENSE_GINI",
    "SplitFinishConfig",
    "SplitPruningConfig",
    "TensorForestParams",
    "ThresholdParam",
]
