"""Trainings of trees whose examples are all in memory."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from troupe._src.boosted_trees import features as tree_features
from troupe._src.boosted_trees.estimators import (
    BoostedTreesBase,
    class_options,
    regression_head,
)
from troupe._src.boosted_trees.growers import TreeOptions
from troupe._src.boosted_trees.model import ModelOptions
from troupe._src.data.dataset import Dataset
from troupe._src.estimator.run_config import RunConfig
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike


def _repeated(train_input_fn: Callable[[], Any]) -> Callable[[], Any]:
    def input_fn() -> Any:
        found = train_input_fn()
        return found.repeat() if isinstance(found, Dataset) else found

    return input_fn


@set_module("troupe.contrib.estimator")
def boosted_trees_classifier_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Sequence[Any],
    model_dir: Optional[PathLike] = None,
    n_classes: Optional[int] = None,
    weight_column: Any = None,
    label_vocabulary: Optional[Sequence[Any]] = None,
    n_trees: int = 100,
    max_depth: int = 6,
    learning_rate: float = 0.1,
    l1_regularization: float = 0.0,
    l2_regularization: float = 0.0,
    tree_complexity: float = 0.0,
    min_node_weight: float = 0.0,
    config: Optional[RunConfig] = None,
    train_hooks: Any = None,
    center_bias: bool = False,
    pruning_mode: str = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesBase:
    """Trains a classifier of two classes by examples that are one batch.

    Args:
        train_input_fn: Returns a dataset whose one element is that batch.
        feature_columns: As of `tf.estimator.BoostedTreesClassifier`, like all that is not said.
        model_dir: As of Estimator.
        n_classes: 2, the only number of classes yet.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        n_trees: How many trees there are.
        max_depth: How many layers a tree has.
        learning_rate: How much of its weights a tree adds.
        l1_regularization: The cost of the absolute weights of leaves.
        l2_regularization: The cost of their squares.
        tree_complexity: What a split must gain besides, where trees are pruned.
        min_node_weight: The least sum of hessians of a node that is split.
        config: As of Estimator.
        train_hooks: Hooks of the training.
        center_bias: Whether the first tree begins with what all examples have in common.
        pruning_mode: "none", "pre" or "post".
        quantile_sketch_epsilon: The error of the quantiles of numeric columns.

    Returns:
        The trained estimator.

    Raises:
        ValueError: An argument is wrong, or not supported.
    """
    head, closed_form = class_options(n_classes, weight_column, label_vocabulary)
    trees = TreeOptions(
        n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity,
        min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon,
    )  # fmt: skip
    columns = tree_features.sorted_columns(feature_columns)
    options = ModelOptions(head, columns, trees, 1, closed_form, train_in_memory=True)
    estimator = BoostedTreesBase(options, model_dir, config, is_classification=True)
    estimator.train(_repeated(train_input_fn), hooks=train_hooks)
    return estimator


@set_module("troupe.contrib.estimator")
def boosted_trees_regressor_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Sequence[Any],
    model_dir: Optional[PathLike] = None,
    label_dimension: Optional[int] = None,
    weight_column: Any = None,
    n_trees: int = 100,
    max_depth: int = 6,
    learning_rate: float = 0.1,
    l1_regularization: float = 0.0,
    l2_regularization: float = 0.0,
    tree_complexity: float = 0.0,
    min_node_weight: float = 0.0,
    config: Optional[RunConfig] = None,
    train_hooks: Any = None,
    center_bias: bool = False,
    pruning_mode: str = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesBase:
    """Trains a regression by examples that are one batch.

    Args:
        train_input_fn: Returns a dataset whose one element is that batch.
        feature_columns: As of `tf.estimator.BoostedTreesRegressor`, like all that is not said.
        model_dir: As of Estimator.
        label_dimension: 1, the only number of labels yet.
        weight_column: The name of the feature that has the weights of examples, or its column.
        n_trees: How many trees there are.
        max_depth: How many layers a tree has.
        learning_rate: How much of its weights a tree adds.
        l1_regularization: The cost of the absolute weights of leaves.
        l2_regularization: The cost of their squares.
        tree_complexity: What a split must gain besides, where trees are pruned.
        min_node_weight: The least sum of hessians of a node that is split.
        config: As of Estimator.
        train_hooks: Hooks of the training.
        center_bias: Whether the first tree begins with the mean of the labels.
        pruning_mode: "none", "pre" or "post".
        quantile_sketch_epsilon: The error of the quantiles of numeric columns.

    Returns:
        The trained estimator.

    Raises:
        ValueError: An argument is wrong, or not supported.
    """
    trees = TreeOptions(
        n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity,
        min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon,
    )  # fmt: skip
    columns = tree_features.sorted_columns(feature_columns)
    head = regression_head(label_dimension, weight_column)
    options = ModelOptions(head, columns, trees, train_in_memory=True)
    estimator = BoostedTreesBase(options, model_dir, config, is_classification=False)
    estimator.train(_repeated(train_input_fn), hooks=train_hooks)
    return estimator
