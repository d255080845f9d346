"""The message of a forest's parameters, TensorFlow's TensorForestParams."""

from __future__ import annotations

from typing import Any, Dict

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.set_module import set_module

_MODULE = "troupe.contrib.tensor_forest.proto.tensor_forest_params_pb2"

LEAF_MODEL_TYPES = {
    "MODEL_DENSE_CLASSIFICATION": 0,
    "MODEL_SPARSE_CLASSIFICATION": 1,
    "MODEL_REGRESSION": 2,
    "MODEL_SPARSE_OR_DENSE_CLASSIFICATION": 3,
}
MODEL_DENSE_CLASSIFICATION = LEAF_MODEL_TYPES["MODEL_DENSE_CLASSIFICATION"]
MODEL_SPARSE_CLASSIFICATION = LEAF_MODEL_TYPES["MODEL_SPARSE_CLASSIFICATION"]
MODEL_REGRESSION = LEAF_MODEL_TYPES["MODEL_REGRESSION"]
MODEL_SPARSE_OR_DENSE_CLASSIFICATION = LEAF_MODEL_TYPES["MODEL_SPARSE_OR_DENSE_CLASSIFICATION"]
STATS_MODEL_TYPES = {
    "STATS_DENSE_GINI": 0,
    "STATS_SPARSE_GINI": 1,
    "STATS_LEAST_SQUARES_REGRESSION": 2,
    "STATS_SPARSE_THEN_DENSE_GINI": 3,
    "STATS_FIXED_SIZE_SPARSE_GINI": 4,
}
STATS_DENSE_GINI = STATS_MODEL_TYPES["STATS_DENSE_GINI"]
STATS_SPARSE_GINI = STATS_MODEL_TYPES["STATS_SPARSE_GINI"]
STATS_LEAST_SQUARES_REGRESSION = STATS_MODEL_TYPES["STATS_LEAST_SQUARES_REGRESSION"]
STATS_SPARSE_THEN_DENSE_GINI = STATS_MODEL_TYPES["STATS_SPARSE_THEN_DENSE_GINI"]
STATS_FIXED_SIZE_SPARSE_GINI = STATS_MODEL_TYPES["STATS_FIXED_SIZE_SPARSE_GINI"]
SPLIT_COLLECTION_TYPES = {
    "COLLECTION_BASIC": 0,
    "GRAPH_RUNNER_COLLECTION": 1,
}
COLLECTION_BASIC = SPLIT_COLLECTION_TYPES["COLLECTION_BASIC"]
GRAPH_RUNNER_COLLECTION = SPLIT_COLLECTION_TYPES["GRAPH_RUNNER_COLLECTION"]
SPLIT_PRUNING_TYPES = {
    "SPLIT_PRUNE_NONE": 0,
    "SPLIT_PRUNE_HALF": 1,
    "SPLIT_PRUNE_QUARTER": 2,
    "SPLIT_PRUNE_10_PERCENT": 3,
    "SPLIT_PRUNE_HOEFFDING": 4,
}
SPLIT_PRUNE_NONE = SPLIT_PRUNING_TYPES["SPLIT_PRUNE_NONE"]
SPLIT_PRUNE_HALF = SPLIT_PRUNING_TYPES["SPLIT_PRUNE_HALF"]
SPLIT_PRUNE_QUARTER = SPLIT_PRUNING_TYPES["SPLIT_PRUNE_QUARTER"]
SPLIT_PRUNE_10_PERCENT = SPLIT_PRUNING_TYPES["SPLIT_PRUNE_10_PERCENT"]
SPLIT_PRUNE_HOEFFDING = SPLIT_PRUNING_TYPES["SPLIT_PRUNE_HOEFFDING"]
SPLIT_FINISH_TYPES = {
    "SPLIT_FINISH_BASIC": 0,
    "SPLIT_FINISH_DOMINATE_HOEFFDING": 2,
    "SPLIT_FINISH_DOMINATE_BOOTSTRAP": 3,
}
SPLIT_FINISH_BASIC = SPLIT_FINISH_TYPES["SPLIT_FINISH_BASIC"]
SPLIT_FINISH_DOMINATE_HOEFFDING = SPLIT_FINISH_TYPES["SPLIT_FINISH_DOMINATE_HOEFFDING"]
SPLIT_FINISH_DOMINATE_BOOTSTRAP = SPLIT_FINISH_TYPES["SPLIT_FINISH_DOMINATE_BOOTSTRAP"]
INEQUALITY_TEST_TYPES = {
    "LESS_OR_EQUAL": 0, "LESS_THAN": 1, "GREATER_OR_EQUAL": 2, "GREATER_THAN": 3,
}  # fmt: skip


@set_module(_MODULE)
class LinearParam(ProtoMessage):
    """A number that changes with the depth of a node by the same step, within bounds."""

    _fields = {
        "slope": Field(1, "float"),
        "y_intercept": Field(2, "float"),
        "min_val": Field(3, "float"),
        "max_val": Field(4, "float"),
    }


@set_module(_MODULE)
class ExponentialParam(ProtoMessage):
    """bias + multiplier * base^(depth_multiplier * depth)."""

    _fields = {
        "bias": Field(1, "float"),
        "base": Field(2, "float"),
        "multiplier": Field(3, "float"),
        "depth_multiplier": Field(4, "float"),
    }


@set_module(_MODULE)
class ThresholdParam(ProtoMessage):
    """One number above a depth, another one from there on."""

    _fields = {
        "on_value": Field(1, "float"),
        "off_value": Field(2, "float"),
        "threshold": Field(3, "float"),
    }


@set_module(_MODULE)
class DepthDependentParam(ProtoMessage):
    """A number that may change with the depth of a node."""

    _fields = {
        "constant_value": Field(1, "float", oneof="ParamType"),
        "linear": Field(2, "message", LinearParam, oneof="ParamType"),
        "exponential": Field(3, "message", ExponentialParam, oneof="ParamType"),
        "threshold": Field(4, "message", ThresholdParam, oneof="ParamType"),
    }


@set_module(_MODULE)
class SplitPruningConfig(ProtoMessage):
    """Which candidates are removed, and after how many samples each time."""

    _fields = {
        "prune_every_samples": Field(1, "message", DepthDependentParam),
        "type": Field(2, "enum", SPLIT_PRUNING_TYPES),
    }


@set_module(_MODULE)
class SplitFinishConfig(ProtoMessage):
    """When a leaf is split early, and how often that is considered."""

    _fields = {
        "check_every_steps": Field(1, "message", DepthDependentParam),
        "type": Field(2, "enum", SPLIT_FINISH_TYPES),
    }


def _fields_of_params() -> Dict[str, Any]:
    depth_dependent = DepthDependentParam
    return {
        "leaf_type": Field(1, "enum", LEAF_MODEL_TYPES),
        "stats_type": Field(2, "enum", STATS_MODEL_TYPES),
        "collection_type": Field(3, "enum", SPLIT_COLLECTION_TYPES),
        "pruning_type": Field(4, "message", SplitPruningConfig),
        "finish_type": Field(5, "message", SplitFinishConfig),
        "num_trees": Field(6, "int32"),
        "max_nodes": Field(7, "int32"),
        "is_regression": Field(8, "bool"),
        "drop_final_class": Field(9, "bool"),
        "collate_examples": Field(10, "bool"),
        "checkpoint_stats": Field(11, "bool"),
        "num_outputs": Field(12, "int32"),
        "num_splits_to_consider": Field(13, "message", depth_dependent),
        "split_after_samples": Field(14, "message", depth_dependent),
        "dominate_fraction": Field(15, "message", depth_dependent),
        "graph_dir": Field(16, "string"),
        "num_select_features": Field(17, "int32"),
        "min_split_samples": Field(18, "message", depth_dependent),
        "inequality_test_type": Field(19, "enum", INEQUALITY_TEST_TYPES),
        "use_running_stats_method": Field(20, "bool"),
        "num_features": Field(21, "int32"),
        "initialize_average_splits": Field(22, "bool"),
        "inference_tree_paths": Field(23, "bool"),
        "num_classes_to_track": Field(24, "int32"),
    }


@set_module(_MODULE)
class TensorForestParams(ProtoMessage):
    """How the trees of a forest are trained."""

    _fields = _fields_of_params()
