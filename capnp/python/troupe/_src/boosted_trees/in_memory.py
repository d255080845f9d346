"""Trainings of trees whose examples are all in memory."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from troupe._src.boosted_trees import features as tree_features
from troupe._src.boosted_trees.estimators import (
    BoostedTreesBase,
    class_options,
    regression_head,
)
from troupe._src.boosted_trees.model import ModelOptions
from troupe._src.boosted_trees.options import TreeOptions, takes_tree_options
from troupe._src.data.dataset import Dataset
from troupe._src.estimator.run_config import RunConfig
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike


def _trained(
    estimator: BoostedTreesBase, train_input_fn: Callable[[], Any], hooks: Any
) -> BoostedTreesBase:
    def input_fn() -> Any:
        found = train_input_fn()
        return found.repeat() if isinstance(found, Dataset) else found

    estimator.train(input_fn, hooks=hooks)
    return estimator


@set_module("troupe.contrib.estimator")
@takes_tree_options
def boosted_trees_classifier_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Sequence[Any],
    model_dir: Optional[PathLike] = None,
    n_classes: Optional[int] = None,
    weight_column: Any = None,
    label_vocabulary: Optional[Sequence[Any]] = None,
    config: Optional[RunConfig] = None,
    train_hooks: Any = None,
    **trees: Any,
) -> BoostedTreesBase:
    """Trains a classifier of two classes by examples that are one batch.

    Args:
        train_input_fn: Returns a dataset whose one element is that batch.
        feature_columns: As of `tf.estimator.BoostedTreesClassifier`, like all that is not said.
        model_dir: As of Estimator.
        n_classes: 2, the only number of classes yet.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        config: As of Estimator.
        train_hooks: Hooks of the training.
        **trees: The options of trees.

    Returns:
        The trained estimator.

    Raises:
        ValueError: An argument is wrong, or not supported.
    """
    head, closed_form = class_options(n_classes, weight_column, label_vocabulary)
    columns = tree_features.sorted_columns(feature_columns)
    options = ModelOptions(
        head, columns, TreeOptions(**trees), 1, closed_form, train_in_memory=True
    )
    estimator = BoostedTreesBase(options, model_dir, config, is_classification=True)
    return _trained(estimator, train_input_fn, train_hooks)


@set_module("troupe.contrib.estimator")
@takes_tree_options
def boosted_trees_regressor_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Sequence[Any],
    model_dir: Optional[PathLike] = None,
    label_dimension: Optional[int] = None,
    weight_column: Any = None,
    config: Optional[RunConfig] = None,
    train_hooks: Any = None,
    **trees: Any,
) -> BoostedTreesBase:
    """Trains a regression by examples that are one batch.

    Args:
        train_input_fn: Returns a dataset whose one element is that batch.
        feature_columns: As of `tf.estimator.BoostedTreesRegressor`, like all that is not said.
        model_dir: As of Estimator.
        label_dimension: 1, the only number of labels yet.
        weight_column: The name of the feature that has the weights of examples, or its column.
        config: As of Estimator.
        train_hooks: Hooks of the training.
        **trees: The options of trees.

    Returns:
        The trained estimator.

    Raises:
        ValueError: An argument is wrong, or not supported.
    """
    head = regression_head(label_dimension, weight_column)
    columns = tree_features.sorted_columns(feature_columns)
    options = ModelOptions(head, columns, TreeOptions(**trees), train_in_memory=True)
    estimator = BoostedTreesBase(options, model_dir, config, is_classification=False)
    return _trained(estimator, train_input_fn, train_hooks)
