"""The hyperparameters of a forest."""

from __future__ import annotations

import math
import numbers
import random
from typing import Any, Dict, List, Optional

from troupe._src.messages.text_parser import parse_text
from troupe._src.tensor_forest.params_messages import (
    INEQUALITY_TEST_TYPES,
    LEAF_MODEL_TYPES,
    SPLIT_COLLECTION_TYPES,
    SPLIT_FINISH_TYPES,
    SPLIT_PRUNING_TYPES,
    STATS_MODEL_TYPES,
    TensorForestParams,
)

# What leaves and statistics of classes are, by `model_name`.
CLASSIFICATION_LEAF_MODEL_TYPES = {
    "all_dense": (
        LEAF_MODEL_TYPES["MODEL_DENSE_CLASSIFICATION"], STATS_MODEL_TYPES["STATS_DENSE_GINI"]
    ),
    "all_sparse": (
        LEAF_MODEL_TYPES["MODEL_SPARSE_CLASSIFICATION"], STATS_MODEL_TYPES["STATS_SPARSE_GINI"]
    ),
    "sparse_then_dense": (
        LEAF_MODEL_TYPES["MODEL_SPARSE_OR_DENSE_CLASSIFICATION"],
        STATS_MODEL_TYPES["STATS_SPARSE_THEN_DENSE_GINI"],
    ),
}  # fmt: skip
REGRESSION_MODEL_TYPE = (
    LEAF_MODEL_TYPES["MODEL_REGRESSION"],
    STATS_MODEL_TYPES["STATS_LEAST_SQUARES_REGRESSION"],
    SPLIT_COLLECTION_TYPES["COLLECTION_BASIC"],
)
FINISH_TYPES = {
    "basic": SPLIT_FINISH_TYPES["SPLIT_FINISH_BASIC"],
    "hoeffding": SPLIT_FINISH_TYPES["SPLIT_FINISH_DOMINATE_HOEFFDING"],
    "bootstrap": SPLIT_FINISH_TYPES["SPLIT_FINISH_DOMINATE_BOOTSTRAP"],
}
PRUNING_TYPES = {
    "none": SPLIT_PRUNING_TYPES["SPLIT_PRUNE_NONE"],
    "half": SPLIT_PRUNING_TYPES["SPLIT_PRUNE_HALF"],
    "quarter": SPLIT_PRUNING_TYPES["SPLIT_PRUNE_QUARTER"],
    "10_percent": SPLIT_PRUNING_TYPES["SPLIT_PRUNE_10_PERCENT"],
    "hoeffding": SPLIT_PRUNING_TYPES["SPLIT_PRUNE_HOEFFDING"],
}
SPLIT_TYPES = {
    "less_or_equal": INEQUALITY_TEST_TYPES["LESS_OR_EQUAL"],
    "less": INEQUALITY_TEST_TYPES["LESS_THAN"],
}


def parse_number_or_string_to_proto(proto: Any, param: Any) -> None:
    """Sets a number that may change with the depth of a node.

    Args:
        proto: A DepthDependentParam.
        param: A number, or the text of one or of a DepthDependentParam.

    Raises:
        ParseError: The text is none of that.
    """
    if isinstance(param, numbers.Number):
        proto.constant_value = param
    elif param.isdigit():
        proto.constant_value = int(param)
    else:
        parse_text(param, proto)


def build_params_proto(params: Any) -> TensorForestParams:
    """The message of hyperparameters.

    Args:
        params: A `ForestHParams` that is filled.

    Returns:
        A TensorForestParams.
    """
    proto = TensorForestParams(
        num_trees=params.num_trees,
        max_nodes=params.max_nodes,
        is_regression=params.regression,
        num_outputs=params.num_classes,
        num_features=params.num_features,
        leaf_type=params.leaf_model_type,
        stats_type=params.stats_model_type,
        collection_type=SPLIT_COLLECTION_TYPES["COLLECTION_BASIC"],
        inequality_test_type=params.split_type,
        collate_examples=params.collate_examples,
        checkpoint_stats=params.checkpoint_stats,
        use_running_stats_method=params.use_running_stats_method,
        initialize_average_splits=params.initialize_average_splits,
        inference_tree_paths=params.inference_tree_paths,
    )
    proto.pruning_type.type = params.pruning_type
    proto.finish_type.type = params.finish_type
    for message, value in [
        (proto.pruning_type.prune_every_samples, params.prune_every_samples),
        (proto.finish_type.check_every_steps, params.early_finish_check_every_samples),
        (proto.split_after_samples, params.split_after_samples),
        (proto.num_splits_to_consider, params.num_splits_to_consider),
    ]:
        parse_number_or_string_to_proto(message, value)
    proto.dominate_fraction.constant_value = params.dominate_fraction
    if params.param_file:
        with open(params.param_file) as file:
            parse_text(file.read(), proto)
    return proto


class ForestHParams:
    """The hyperparameters of a forest, as attributes. `fill()` sets those that follow from others.

    Args:
        num_trees: How many trees there are.
        max_nodes: How many nodes a tree may have.
        bagging_fraction: The part of the examples that each tree is trained with.
        num_splits_to_consider: How many candidates a leaf chooses its split from: a number, or the
            text of a DepthDependentParam; 0 for some that suit `num_features`.
        feature_bagging_fraction: The part of the features that each tree sees.
        max_fertile_nodes: Has no effect.
        split_after_samples: After how many samples a leaf is split: a number, or the text of a
            DepthDependentParam.
        valid_leaf_threshold: Has no effect.
        dominate_method: Has no effect.
        dominate_fraction: How sure it must be that a candidate is the best one, where leaves are
            split early or candidates are removed.
        model_name: "all_dense" or "all_sparse": how the weights of classes are kept.
        split_finish_name: "basic", "hoeffding" or "bootstrap": whether leaves are split early.
        split_pruning_name: "none", "half", "quarter", "10_percent" or "hoeffding": which candidates
            are removed before the leaf is split.
        prune_every_samples: After how many samples each time; 0 for half of those of a split.
        early_finish_check_every_samples: After how many samples it is seen whether a leaf is split
            early; 0 for a quarter of those of a split.
        collate_examples: Whether a batch is sorted by leaves first.
        checkpoint_stats: Whether checkpoints have what is known of leaves.
        use_running_stats_method: Whether impurities are kept instead of made anew.
        initialize_average_splits: Whether thresholds lie between examples of two classes.
        inference_tree_paths: Whether predictions come with their ways through the trees.
        param_file: The name of a file with the text of a TensorForestParams, which overrides these.
        split_name: "less_or_equal" or "less": which values of features go to the left.
        **kwargs: All others, of which `num_classes` and `num_features` are needed; `regression`
            makes `num_classes` that of numbers to predict; `base_random_seed` is 0 for any seeds.
    """

    num_classes: int
    num_features: int

    def __init__(
        self, num_trees: int = 100, max_nodes: int = 10000, bagging_fraction: float = 1.0,
        num_splits_to_consider: Any = 0, feature_bagging_fraction: float = 1.0,
        max_fertile_nodes: int = 0, split_after_samples: Any = 250, valid_leaf_threshold: int = 1,
        dominate_method: str = "bootstrap", dominate_fraction: float = 0.99,
        model_name: str = "all_dense", split_finish_name: str = "basic",
        split_pruning_name: str = "none", prune_every_samples: Any = 0,
        early_finish_check_every_samples: Any = 0, collate_examples: bool = False,
        checkpoint_stats: bool = False, use_running_stats_method: bool = False,
        initialize_average_splits: bool = False, inference_tree_paths: bool = False,
        param_file: Optional[str] = None, split_name: str = "less_or_equal", **kwargs: Any,
    ) -> None:  # fmt: skip
        self.num_trees, self.max_nodes = num_trees, max_nodes
        self.bagging_fraction = bagging_fraction
        self.feature_bagging_fraction = feature_bagging_fraction
        self.num_splits_to_consider = num_splits_to_consider
        self.max_fertile_nodes = max_fertile_nodes
        self.split_after_samples = split_after_samples
        self.valid_leaf_threshold = valid_leaf_threshold
        self.dominate_method, self.dominate_fraction = dominate_method, dominate_fraction
        self.model_name = model_name
        self.split_finish_name, self.split_pruning_name = split_finish_name, split_pruning_name
        self.collate_examples, self.checkpoint_stats = collate_examples, checkpoint_stats
        self.use_running_stats_method = use_running_stats_method
        self.initialize_average_splits = initialize_average_splits
        self.inference_tree_paths = inference_tree_paths
        self.param_file, self.split_name = param_file, split_name
        self.early_finish_check_every_samples = early_finish_check_every_samples
        self.prune_every_samples = prune_every_samples
        for name, value in kwargs.items():
            setattr(self, name, value)

    def values(self) -> Dict[str, Any]:
        """All of them by name."""
        return self.__dict__

    def fill(self) -> ForestHParams:
        """Sets those that follow from others.

        Returns:
            The hyperparameters.

        Raises:
            AttributeError: `num_classes` or `num_features` is missing.
            KeyError: A name is none of the possible ones.
        """
        classes, features = self.num_classes, self.num_features
        self.bagged_num_features = int(self.feature_bagging_fraction * features)
        self.bagged_features: Optional[List[List[int]]] = None
        if self.feature_bagging_fraction < 1.0:
            self.bagged_features = [
                random.sample(range(features), self.bagged_num_features)
                for _ in range(self.num_trees)
            ]
        self.regression = getattr(self, "regression", False)
        self.num_outputs = classes if self.regression else 1
        self.num_output_columns = classes + 1
        if not self.num_splits_to_consider:
            self.num_splits_to_consider = min(max(10, math.floor(math.sqrt(features))), 1000)
        self.base_random_seed = getattr(self, "base_random_seed", 0)
        self._fill_types()
        self._fill_periods()
        return self

    def _fill_types(self) -> None:
        models = (
            REGRESSION_MODEL_TYPE[:2]
            if self.regression
            else CLASSIFICATION_LEAF_MODEL_TYPES[self.model_name]
        )
        self.leaf_model_type, self.stats_model_type = models
        self.finish_type = FINISH_TYPES["basic" if self.regression else self.split_finish_name]
        self.pruning_type = PRUNING_TYPES[self.split_pruning_name]
        self.split_type = SPLIT_TYPES[self.split_name]

    def _fill_periods(self) -> None:
        if self.pruning_type == PRUNING_TYPES["none"]:
            self.prune_every_samples = 0
        elif not self.prune_every_samples:
            self.prune_every_samples = int(self.split_after_samples) / 2
        if self.finish_type == FINISH_TYPES["basic"]:
            self.early_finish_check_every_samples = 0
        elif not self.early_finish_check_every_samples:
            self.early_finish_check_every_samples = int(self.split_after_samples) / 4
