"""Linear models: `LinearClassifier`, `LinearRegressor`, and `LinearEstimator` with any head."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence

from troupe._src.canned.linear_sdca import LinearSDCA, check_columns, sdca_spec
from troupe._src.canned.networks import linear_logits, partitioner_of
from troupe._src.canned.optimizers import linear_rate, optimizer_of
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.heads.checks import check_features
from troupe._src.heads.single_heads import class_head, number_head
from troupe._src.nn.losses import Reduction
from troupe._src.set_module import set_module
from troupe._src.train.optimizers import FtrlOptimizer
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable_store import variable_scope

_RATE = 0.2


def linear_model_fn(
    head: Any, columns: Sequence[Any], optimizer: Any, partitioner: Any, sparse_combiner: str
) -> Callable[..., EstimatorSpec]:
    """The model function of a linear model with that head."""
    used = list(columns)

    def model_fn(
        features: Dict[str, Any], labels: Any, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        check_features(features)
        with variable_scope("linear", partitioner=partitioner_of(partitioner, config)):
            if isinstance(optimizer, LinearSDCA):
                return sdca_spec(head, used, optimizer, features, labels, mode)
            logits = linear_logits(features, used, head.logits_dimension, sparse_combiner)
            default = FtrlOptimizer(linear_rate(used, _RATE)) if not optimizer else optimizer
            spec: EstimatorSpec = head.create_estimator_spec(
                features=features,
                mode=mode,
                labels=labels,
                optimizer=optimizer_of(default, _RATE),
                logits=logits,
            )
            return spec

    return model_fn


@set_module("troupe.estimator")
class LinearClassifier(Estimator):
    """A classifier whose logits are a weighted sum of columns.

    Args:
        feature_columns: The columns.
        model_dir: As of Estimator.
        n_classes: How many classes there are.
        weight_column: The name of the feature that has the weights of examples, or its column.
        label_vocabulary: The classes, where labels are strings.
        optimizer: An optimizer, a function that makes one, or a name; or
            `tf.estimator.experimental.LinearSDCA`.
        config: As of Estimator.
        partitioner: Of the variables.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.
        sparse_combiner: As of `tf.feature_column.linear_model`.

    Raises:
        ValueError: The number of classes, the vocabulary or the reduction is wrong.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Optional[Sequence[Any]] = None,
        optimizer: Any = "Ftrl",
        config: Optional[RunConfig] = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        error = "LinearSDCA cannot be used in a multi-class setting."
        check_columns(optimizer, feature_columns, sparse_combiner, n_classes <= 2, error)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = linear_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@set_module("troupe.estimator")
class LinearRegressor(Estimator):
    """A regression by a weighted sum of columns.

    Args:
        feature_columns: The columns.
        model_dir: As of Estimator.
        label_dimension: How many numbers a label has.
        weight_column: As of LinearClassifier.
        optimizer: As of LinearClassifier.
        config: As of Estimator.
        partitioner: Of the variables.
        warm_start_from: As of Estimator.
        loss_reduction: A value of `tf.losses.Reduction`.
        sparse_combiner: As of `tf.feature_column.linear_model`.

    Raises:
        ValueError: The dimension or the reduction is wrong.
    """

    def __init__(
        self,
        feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Optional[RunConfig] = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        error = "LinearSDCA can only be used with one-dimensional label."
        check_columns(optimizer, feature_columns, sparse_combiner, label_dimension <= 1, error)
        head = number_head(label_dimension, weight_column, loss_reduction)
        model_fn = linear_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@set_module("troupe.estimator")
class LinearEstimator(Estimator):
    """A model of a head whose logits are weighted sums of columns.

    Args:
        head: The head, which has labels, losses and predictions.
        feature_columns: The columns.
        model_dir: As of Estimator.
        optimizer: As of LinearClassifier.
        config: As of Estimator.
        partitioner: Of the variables.
        sparse_combiner: As of `tf.feature_column.linear_model`.
    """

    def __init__(
        self,
        head: Any,
        feature_columns: Sequence[Any],
        model_dir: Optional[PathLike] = None,
        optimizer: Any = "Ftrl",
        config: Optional[RunConfig] = None,
        partitioner: Any = None,
        sparse_combiner: str = "sum",
    ) -> None:
        model_fn = linear_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir, config)
